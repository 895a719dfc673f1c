"""Pages of HTML, and the books that are made of them."""
