// Package benchpage makes the pages of the speed measurements: seeded, so that
// every run and every peer reads the same bytes.
package benchpage

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

var words = strings.Fields(`the quick brown fox jumps over lazy dog while seven café tables naïve report of 2026 shows
	&amp; that prices rose &nbsp; in 東京 by ten percent compared with last year and nobody expected it`)

const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Report &amp; tables</title>
<style>
`

const script = `</style>
<script>
window.data = {"a": "<b>not a tag</b>", n: 1};
for (var i = 0; i<10; i++) { if (i > 3 && i <5) console.log(i) }
</script>
</head>
<body class="app">
<main id="main">
`

// page writes one page.
type page struct {
	strings.Builder
	r *rand.Rand
}

// App gives a made-up application page of about size bytes: cards with icons,
// tables, articles, forms, custom elements and JSON in scripts; a tag every 25
// bytes.
func App(size int) []byte {
	p := &page{r: rand.New(rand.NewPCG(uint64(size), 1))}
	p.WriteString(head)
	for i := range 120 {
		p.printf(".c%d > a:hover { color: #%06x; margin: %dpx }\n", i, p.r.IntN(1<<24), p.r.IntN(40))
	}
	p.WriteString(script)
	blocks := []func(*page, int){(*page).card, (*page).card, (*page).table, (*page).article, (*page).form, (*page).custom}
	for i := 0; p.Len() < size-1000; i++ {
		blocks[i%len(blocks)](p, i)
	}
	p.WriteString("</main>\n<footer><p>End</p></footer>\n</body>\n</html>\n")
	return []byte(p.String())
}

func (p *page) printf(format string, args ...any) { fmt.Fprintf(p, format, args...) }

func (p *page) text(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = words[p.r.IntN(len(words))]
	}
	return strings.Join(out, " ")
}

func (p *page) card(i int) {
	p.printf("<section class=\"card c%d\" id=\"s%d\" data-id=\"%d\" style=\"--i:%d\">\n", i, i, i, i)
	p.printf("  <header class=\"card__head\"><h2><a href=\"/p/%d?x=1&amp;y=2\">%s</a></h2>", i, p.text(4))
	p.WriteString(`<button type="button" aria-label="Open" class="btn btn--icon"><svg class="icon" viewBox="0 0 24 24" ` +
		`width="24" height="24"><title>Open</title><path d="M12 2L2 7l10 5 10-5-10-5z"/><use href="#i"/></svg></button></header>` + "\n")
	p.printf("  <div class=\"card__body\"><p>%s <strong>%s</strong> %s <em>%s</em>.</p>", p.text(22), p.text(2), p.text(18), p.text(3))
	p.printf(`<ul class="tags"><li><a href="#a" rel="tag">%s</a></li><li><a href="#b" rel="tag">%s</a></li>`, p.text(1), p.text(1))
	p.printf("<li class=\"last\"><span>%s</span></li></ul></div>\n", p.text(1))
	p.printf("  <img src=\"/img/%d.jpg\" alt=\"%s\" loading=\"lazy\" width=\"320\" height=\"200\">\n", i, p.text(3))
	p.printf("  <time datetime=\"2026-01-%02d\">%s</time>\n</section>\n", i%28+1, p.text(2))
}

func (p *page) table(int) {
	p.WriteString("<table class=\"grid\">\n<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Value</th><th>Note</th></tr></thead>\n<tbody>\n")
	for range 12 {
		p.printf("<tr><td>%s</td><td class=\"num\">%d</td><td>%s</td></tr>\n", p.text(2), p.r.IntN(100000), p.text(5))
	}
	p.WriteString("</tbody>\n</table>\n")
}

func (p *page) article(int) {
	p.WriteString("<article>\n")
	for k := range 4 {
		p.printf("<p>%s <a href=\"https://example.com/%d\">%s</a> ", p.text(30), k, p.text(3))
		p.printf("%s <code>%s</code> %s</p>\n", p.text(25), p.text(1), p.text(30))
	}
	p.WriteString("</article>\n<!-- end of article -->\n")
}

func (p *page) form(i int) {
	p.printf("<form action=\"/save\" method=\"post\"><input type=\"hidden\" name=\"t\" value=\"%d\">", i)
	p.printf("<label for=\"f%d\">%s</label><input id=\"f%d\" name=\"q\" placeholder=\"%s\" required>", i, p.text(2), i, p.text(2))
	p.printf("<select name=\"s\"><option value=\"1\">%s</option><option value=\"2\" selected>%s</option></select>", p.text(1), p.text(1))
	p.printf("<textarea rows=\"3\">%s</textarea><button class=\"btn\">Save</button></form>\n", p.text(6))
}

func (p *page) custom(i int) {
	p.printf("<x-chart data-points='[[1,2],[3,4],[5,%d]]' v-if=\"a > b\"><div slot=\"legend\"><span>%s</span></div></x-chart>\n", i, p.text(2))
	p.printf("<script type=\"application/json\">{\"id\": %d, \"text\": \"%s\"}</script>\n", i, p.text(12))
}
