package certify

import "strings"

// bakery is the page the editing cases begin with.
const bakery = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Harbour Lane Bakery</title>
<style>body{margin:24px;font:16px/24px sans-serif}h1,p,ul{margin:0 0 12px}h1{font-size:28px;line-height:36px}</style>
</head>
<body>
<main>
<h1>Harbour Lane Bakery</h1>
<p class="lead">Bread from a stone oven, six days a week.</p>
<ul class="goods">
<li class="rye">Rye loaf</li>
<li class="spelt">Spelt rolls</li>
<li class="plum">Plum cake</li>
</ul>
<p class="contact"><a href="/contact" title="Write to the bakers">Contact</a></p>
</main>
</body>
</html>
`

// restless is a page whose script replaces what was picked and adds what the
// source does not have.
const restless = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Tide times</title></head>
<body>
<section id="today"><p class="high">High water at noon</p></section>
<section id="later"></section>
<script>
document.getElementById('today').id = 'yesterday';
const made = document.createElement('p');
made.className = 'made';
made.textContent = 'Low water at dusk';
document.getElementById('later').append(made);
</script>
</body>
</html>
`

// framed is a page that shows a picture of another page at its top left.
const framed = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Window</title>
<style>body{margin:0}iframe{display:block;border:0;width:300px;height:200px}</style></head>
<body>
<iframe srcdoc="&lt;p style='margin:0;font-size:60px'&gt;Seen from outside&lt;/p&gt;"></iframe>
<p>Beside the window</p>
</body>
</html>
`

// replaced gives bakery with strings replaced, in pairs.
func replaced(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(bakery) }
