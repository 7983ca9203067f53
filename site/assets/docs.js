/* Runs in the browser. Without it every page is readable, and the search leads to the list of pages. */

const search = document.querySelector('.search')
const input = search.querySelector('input')
const results = search.querySelector('.results')
let index = null

async function entries() {
  index ??= fetch(search.dataset.index).then((response) => response.json())
  return index
}

function matches(all, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const found = all.filter(({ words: text }) => words.every((word) => text.includes(word)))
  // Entries with the words in their title come before entries that only mention them.
  const isNamed = ({ title }) => words.every((word) => title.toLowerCase().includes(word))
  return [...found.filter(isNamed), ...found.filter((entry) => !isNamed(entry))]
}

function resultOf({ title, page, href }) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = href
  link.append(title)
  if (page !== title) {
    const where = document.createElement('small')
    where.append(page)
    link.append(where)
  }
  item.append(link)
  return item
}

async function show() {
  const query = input.value.trim()
  if (query === '') return hide()
  const found = matches(await entries(), query)
  results.querySelector('p').textContent =
    found.length === 0 ? 'Nothing found' : `${found.length} found`
  results.querySelector('ul').replaceChildren(...found.slice(0, 12).map(resultOf))
  results.hidden = false
}

function hide() {
  results.hidden = true
}

function step(offset) {
  const stops = [input, ...results.querySelectorAll('a')]
  stops[stops.indexOf(document.activeElement) + offset]?.focus()
}

input.addEventListener('input', show)
input.addEventListener('focus', show)
search.addEventListener('submit', (event) => {
  const first = results.querySelector('a')
  if (results.hidden || !first) return
  event.preventDefault()
  first.click()
})
search.addEventListener('keydown', (event) => {
  const offsets = { ArrowDown: 1, ArrowUp: -1 }
  if (event.key in offsets && !results.hidden) {
    event.preventDefault()
    step(offsets[event.key])
  }
  if (event.key === 'Escape') {
    hide()
    input.focus()
  }
})
document.addEventListener('click', ({ target }) => {
  if (!search.contains(target)) hide()
})
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select, [contenteditable]')
  if (event.key !== '/' || isTyping) return
  event.preventDefault()
  input.focus()
})

function button(text) {
  const made = document.createElement('button')
  made.type = 'button'
  made.textContent = text
  return made
}

for (const figure of document.querySelectorAll('figure.code')) {
  if (!navigator.clipboard) break
  const copy = button('Copy')
  copy.className = 'copy'
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent)
    copy.textContent = 'Copied'
    setTimeout(() => {
      copy.textContent = 'Copy'
    }, 1500)
  })
  figure.querySelector('figcaption').append(copy)
}

/** Samples of the same code in several languages become tabs. */
const samples = new Set(['TypeScript', 'Python', 'Go'])
const isSample = (element) =>
  element?.matches('figure.code') && samples.has(element.dataset.language)

for (const figure of document.querySelectorAll('figure.code')) {
  if (isSample(figure.previousElementSibling) || !isSample(figure)) continue
  const group = [figure]
  while (isSample(group.at(-1).nextElementSibling)) group.push(group.at(-1).nextElementSibling)
  if (group.length > 1) makeTabs(group)
}

function makeTabs(group) {
  const box = document.createElement('div')
  box.className = 'code tabbed'
  group[0].before(box)
  const list = document.createElement('div')
  list.className = 'tabs'
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', 'Language')
  const panels = group.map(panelOf)
  const tabs = group.map((figure, position) => tabOf(figure.dataset.language, position))
  list.append(...tabs)
  box.append(list, ...panels)
  select(0)

  function panelOf(figure) {
    const { language } = figure.dataset
    const panel = document.createElement('div')
    panel.id = `sample-${language.toLowerCase()}`
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-label', language)
    panel.append(figure)
    return panel
  }

  function tabOf(language, position) {
    const tab = button(language)
    tab.setAttribute('role', 'tab')
    tab.setAttribute('aria-controls', panels[position].id)
    tab.addEventListener('click', () => select(position))
    tab.addEventListener('keydown', ({ key }) => {
      const offset = { ArrowRight: 1, ArrowLeft: -1 }[key]
      if (offset) select((position + offset + group.length) % group.length).focus()
    })
    return tab
  }

  function select(chosen) {
    for (const [position, panel] of panels.entries()) {
      const isChosen = position === chosen
      panel.hidden = !isChosen
      tabs[position].setAttribute('aria-selected', String(isChosen))
      tabs[position].tabIndex = isChosen ? 0 : -1
    }
    return tabs[chosen]
  }
}
