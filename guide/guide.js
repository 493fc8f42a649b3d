import MiniSearch from 'minisearch'

// The search of the guide: the index comes with the first letter, and every search after that is the browser's own.

const input = document.getElementById('search')
const results = document.getElementById('results')
const MAX_RESULTS = 8

let index
const load = () => {
  index ??= fetch('/docs/guide/search.json')
    .then((reply) => reply.text())
    .then((text) =>
      MiniSearch.loadJSON(text, {
        fields: ['heading', 'title', 'text'],
        storeFields: ['heading', 'title', 'url', 'excerpt'],
      }),
    )
  return index
}

const OPTIONS = { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { heading: 4, title: 2 } }

async function search() {
  const words = input.value.trim()
  if (words === '') return hide()
  const found = (await load()).search(words, OPTIONS).slice(0, MAX_RESULTS)
  if (input.value.trim() !== words) return
  results.replaceChildren(...(found.length > 0 ? found.map(entry) : [nothing()]))
  results.hidden = false
}

function entry({ url, heading, title, excerpt }) {
  const link = Object.assign(document.createElement('a'), { href: url })
  const strong = Object.assign(document.createElement('strong'), { textContent: heading })
  const small = Object.assign(document.createElement('small'), {
    textContent: heading === title ? excerpt : `${title} · ${excerpt}`,
  })
  link.append(strong, small)
  const item = document.createElement('li')
  item.append(link)
  return item
}

const nothing = () => Object.assign(document.createElement('li'), { className: 'nothing', textContent: 'No results' })

function hide() {
  results.hidden = true
}

const links = () => [...results.querySelectorAll('a')]

function move(event, step) {
  const all = links()
  const next = all.indexOf(document.activeElement) + step
  event.preventDefault()
  if (next < 0) input.focus()
  else all[Math.min(next, all.length - 1)]?.focus()
}

input.addEventListener('input', search)
input.addEventListener('focus', load)
document.addEventListener('keydown', (event) => {
  const isInside = document.activeElement === input || results.contains(document.activeElement)
  if (event.key === '/' && !isInside) {
    event.preventDefault()
    input.focus()
  } else if (!isInside || results.hidden) return
  else if (event.key === 'Escape') {
    hide()
    input.focus()
  } else if (event.key === 'ArrowDown') move(event, 1)
  else if (event.key === 'ArrowUp') move(event, -1)
  else if (event.key === 'Enter' && document.activeElement === input) links()[0]?.click()
})
document.addEventListener('click', ({ target }) => {
  if (target !== input && !results.contains(target)) hide()
})
results.addEventListener('click', hide)
