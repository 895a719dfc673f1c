"""A server that answers POST /v1/rerank: the shortest passage is the best. Prints its port."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path == "/v1/models"
        self._send(200 if found else 404, {"object": "list", "data": [{"id": "shortest-reranker"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        results = [
            {"index": at, "relevance_score": -float(len(text))}
            for at, text in enumerate(asked["documents"])
        ]
        self._send(200, {"model": asked["model"], "results": results})

    def _send(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> None:
    """Serve until the process is ended."""
    server = HTTPServer(("127.0.0.1", 0), _Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
