//go:build unix

package desktop

// sample is the page of the journeys: it counts what it is told, has twins, a list
// that a script makes, and a clock that changes all the time.
const sample = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Menu</title>
<style>
body { margin: 0; padding: 24px; font: 16px/24px sans-serif; color: #222; background: #fff }
h1 { font-size: 28px; line-height: 36px; margin: 0 0 16px }
.card { border: 1px solid #ccc; padding: 12px; margin: 0 0 12px; width: 360px }
.price { margin: 0 }
</style>
</head>
<body>
<h1 class="title">Café menu — spring</h1>
<p id="lead">Fresh every day.</p>
<div class="card"><h2>Soup</h2><p class="price">4 €</p></div>
<div class="card"><h2>Bread</h2><p class="price">2 €</p></div>
<button id="buy" type="button">Buy</button>
<p id="clock">0</p>
<ul id="list"></ul>
<script>
window.events = 0;
for (const kind of ['click', 'mousedown', 'mousemove', 'mouseover', 'pointerdown', 'keydown', 'keyup', 'keypress', 'focusin']) addEventListener(kind, () => { window.events++ }, true);
for (const text of ['made', 'by', 'script']) { const li = document.createElement('li'); li.textContent = text; document.getElementById('list').append(li) }
let ticks = 0;
setInterval(() => { const c = document.getElementById('clock'); c.textContent = String(++ticks); c.setAttribute('data-ticks', ticks) }, 20);
</script>
</body>
</html>
`
