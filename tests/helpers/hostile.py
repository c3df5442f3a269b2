"""Names and labels that a page might read as more than text, and what it must not make of them."""

import csv
import io

HOSTILE = [
    *('<a href="https://evil.example">x</a>', "<img src=x onerror=hacked=1>", "<b>strong</b>", "a<br>b", "&lt;i&gt;"),
    *("[x](https://evil.example)", "**strong**", "_strong_", "~~gone~~", "`code`", "# head", "1. item", "$x^2$"),
    *(":red[strong]", ":material/home:", ":smile: :+1:", "https://evil.example", "www.evil.example", "me@evil.example"),
    *("a -> b", "%{x}", "{{x}}", "=1+1", "-x"),
]
NAMES = ["<script>hacked=1</script>", "[x](https://evil.example) **strong**", ":red[strong] :smile:"]
# Elements that a label makes if it is read as more than text, and what Plotly draws for tags.
INTERPRETED = """() => {
  const texts = (selector) => [...document.querySelectorAll(selector)].map(each => each.textContent.trim());
  const links = [...document.querySelectorAll("a, a *")].map(a => a.href?.baseVal ?? a.href ?? "");
  const marks = "b, strong, em, i, del, code, h1, li, .katex, [style*=color]";
  return {
    hacked: window.hacked ?? null,
    links: links.filter(to => /evil|mailto/.test(to)),
    images: document.querySelectorAll("img[src=x]").length,
    marked: texts(marks).filter(text => /^(strong|gone|code|head|item|x2)$/.test(text)),
    icons: texts("[data-testid=stIconMaterial]").filter(name => name === "home"),
    emoji: document.body.innerText.match(/[\\u{1F600}-\\u{1F64F}\\u{1F44D}]/gu) ?? [],
  };
}"""
NOTHING = {"hacked": None, "links": [], "images": 0, "marked": [], "icons": [], "emoji": []}


def table(names: list[str], labels: list[str], rows: int) -> bytes:
    """A CSV file of these columns: two of the labels, and one of three short texts."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(names)
    writer.writerows([labels[i % len(labels)], labels[7 * i % len(labels)], f"{i % 3} <i>&</i>"] for i in range(rows))
    return file.getvalue().encode()
