// Makes pages smoother that work without it: results as one types, a draft as it is written, keys.
// Text from the server is put in as text; a fragment of our own page is parsed without running.
"use strict";

const byId = (id) => document.getElementById(id);
const typing = (element) => element.matches("input, textarea, select, [contenteditable]");

async function fetched(url, signal) {
  const answer = await fetch(url, { signal, credentials: "same-origin", redirect: "error" });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer;
}

async function replaceMain(url, hash) {
  // A page that would ask again by itself cannot be told not to: it is loaded anew instead.
  if (document.querySelector("meta[http-equiv=refresh]")) return location.reload();
  const page = new DOMParser().parseFromString(await (await fetched(url)).text(), "text/html");
  const parts = document.querySelectorAll("[data-fresh]");  // without them, all is put in anew
  for (const part of parts.length ? parts : [byId("main")])
    part.replaceChildren(...page.getElementById(part.id).childNodes);
  document.title = page.title;
  start();
  if (hash) byId(hash)?.scrollIntoView({ block: "start" });
}

// -- search as one types: the newest answer alone is shown
function liveSearch(form) {
  const shown = byId(form.dataset.live);
  let waiting = 0, running = null;
  async function look() {
    running?.abort();
    running = new AbortController();
    const asked = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...asked]) if (!value) asked.delete(name);
    history.replaceState(null, "", `${form.action}?${asked}`);
    asked.set("part", "1");
    try {
      const answer = await fetched(`${form.action}?${asked}`, running.signal);
      const part = new DOMParser().parseFromString(await answer.text(), "text/html");
      shown.replaceChildren(...part.body.childNodes);
    } catch (error) {
      if (error.name !== "AbortError") shown.textContent = "The server does not answer.";
    }
  }
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, 120); });
  form.addEventListener("submit", (event) => { event.preventDefault(); clearTimeout(waiting); look(); });
}

// -- a question that is being answered. Asked again and again, not a stream: a browser has six
// connections for a server, and eight pages may wait at once.
async function follow(section) {
  let seen = Number(section.dataset.seen);
  for (;;) {
    await new Promise((go) => setTimeout(go, 150));
    if (!section.isConnected) return;
    let now;
    try {
      now = await (await fetched(section.dataset.progress)).json();
    } catch {
      section.querySelector(".status").textContent = "The server does not answer.";
      continue;
    }
    if (!now.open) {
      const article = section.closest("article").id;
      await replaceMain(location.href, article);
      byId("main").focus({ preventScroll: true });
      return;
    }
    if (now.seen === seen) continue;
    seen = now.seen;
    section.querySelector(".steps").replaceChildren(...now.steps.map((step) => {
      const item = document.createElement("li");
      item.textContent = step;
      return item;
    }));
    section.querySelector(".draft-text").textContent = now.draft;
    section.querySelector(".draft").hidden = !now.draft;
  }
}

async function followRun(section) {
  let now = null;
  for (;;) {
    await new Promise((go) => setTimeout(go, now && !now.open ? 1000 : 300));
    if (!section.isConnected) return;
    try { now = await (await fetched(section.dataset.run)).json(); } catch { continue; }
    if (now.seen !== Number(section.dataset.seen)) return replaceMain(location.href);
    section.querySelector(".run").hidden = !now.open;
    byId("share").value = now.share;
    byId("run-text").textContent = now.text;
  }
}

// -- fields as chips over a plain field, which holds them with commas between
function chips(plain) {
  const box = document.createElement("div");
  const typed = plain.cloneNode();
  box.className = "chips";
  typed.removeAttribute("name");
  delete typed.dataset.chips;
  plain.type = "hidden";
  plain.removeAttribute("id");
  plain.after(box);
  let words = [];
  function show() {
    plain.value = words.join(", ");
    box.replaceChildren(...words.map((word, at) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.textContent = `${word} ×`;
      chip.setAttribute("aria-label", `Remove ${word}`);
      chip.addEventListener("click", () => { words.splice(at, 1); show(); typed.focus(); });
      return chip;
    }), typed);
  }
  function take() {
    const more = typed.value.split(",").map((word) => word.trim()).filter(Boolean);
    words = [...new Set([...words, ...more])];
    typed.value = "";
    show();
  }
  typed.addEventListener("input", () => { if (typed.value.includes(",")) { take(); typed.focus(); } });
  typed.addEventListener("keydown", (event) => {
    if (event.key === "Backspace" && !typed.value && words.length) { words.pop(); show(); typed.focus(); }
  });
  plain.form.addEventListener("submit", take);
  take();
  if (plain.autofocus) typed.focus();  // a browser gives it to what it met first, which is hidden now
}

// -- keys
function move(by) {
  const hits = [...document.querySelectorAll("a.hit")];
  if (!hits.length) return false;
  const at = hits.indexOf(document.activeElement);
  hits[Math.min(hits.length - 1, Math.max(0, at < 0 ? (by > 0 ? 0 : hits.length - 1) : at + by))].focus();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target.matches("textarea")) {
    event.preventDefault();
    return event.target.form.requestSubmit();  // Shift-Enter begins a line
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || byId("help").open) return;
  const within = typing(event.target);
  const arrow = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (arrow && (!within || (event.target.type === "search" && arrow > 0))) {
    if (move(arrow)) event.preventDefault();
  } else if (within) {
    return;
  } else if (event.key === "/") {
    const field = document.querySelector("main input[type=search], main textarea");
    event.preventDefault();
    if (field) { field.focus(); field.select(); } else location.href = `${document.body.dataset.base}/search`;
  } else if (event.key === "?") {
    byId("help").showModal();
  } else if (event.key === "n" || event.key === "p") {
    document.querySelector(`a[rel=${event.key === "n" ? "next" : "prev"}]`)?.click();
  }
});

function start() {
  for (const field of document.querySelectorAll("input[name=follow]")) field.value = "1";
  for (const form of document.querySelectorAll("form[data-live]")) liveSearch(form);
  for (const field of document.querySelectorAll("input[data-chips]")) chips(field);
  for (const section of document.querySelectorAll("[data-progress]")) follow(section);
  for (const section of document.querySelectorAll("[data-run]")) followRun(section);
  (document.querySelector(".picture rect") ?? document.querySelector(".document mark"))?.scrollIntoView({ block: "center" });
}
start();
