// The page works without this file. It opens the menu on small screens, marks
// the section in view, and answers the form, which has no server behind it.
const menu = document.querySelector('.menu');
const nav = document.querySelector('#nav');

menu.addEventListener('click', () => {
  const open = nav.classList.toggle('open');
  menu.setAttribute('aria-expanded', String(open));
});

const links = new Map([...nav.querySelectorAll('a')].map((a) => [a.hash.slice(1), a]));
const inView = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    links.get(entry.target.id)?.classList.toggle('here', entry.isIntersecting);
  }
}, { rootMargin: '-45% 0px -50% 0px' });
for (const id of links.keys()) inView.observe(document.getElementById(id));

document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const name = new FormData(event.target).get('name');
  event.target.querySelector('.answer').textContent = `Thank you, ${name}. This is a sample page, so nothing was sent.`;
});
