/* Runs in the browser. Without it every page is readable, and the search leads to the list of pages. */

const search = document.querySelector('.search')
const input = search.querySelector('input')
const results = search.querySelector('.results')
let index = null

/** The index, with its texts in lower case beside them. */
async function load() {
  const { entries, synonyms } = await fetch(search.dataset.index).then((response) =>
    response.json(),
  )
  const lower = (entry) => ({
    ...entry,
    words: `${entry.title} ${entry.text}`.toLowerCase(),
    name: entry.title.toLowerCase(),
  })
  return { entries: entries.map(lower), synonyms: Object.entries(synonyms) }
}

/** What each word of the query may stand for: itself first. */
function meaningsOf(query, synonyms) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return words.map((word) => [
    word,
    ...synonyms.filter(([start]) => word.startsWith(start)).flatMap(([, others]) => others),
  ])
}

/** The best first: named so, then saying it, then saying it in other words; pages of other readers after those of this one. */
function matches(entries, meanings) {
  const rank = ({ name, words, reader }) => {
    const isOther = reader === search.dataset.reader ? 0 : 1.5
    if (meanings.every(([word]) => name.includes(word))) return isOther
    if (meanings.every((all) => all.some((word) => name.includes(word)))) return isOther + 1
    if (meanings.every(([word]) => words.includes(word))) return isOther + 2
    if (meanings.every((all) => all.some((word) => words.includes(word)))) return isOther + 3
    return null
  }
  return entries
    .map((entry) => ({ entry, rank: rank(entry) }))
    .filter(({ rank }) => rank !== null)
    .sort((one, other) => one.rank - other.rank)
    .map(({ entry }) => entry)
}

/** The words around the first one that was found, in which the found ones are marked. */
function snippetOf({ text }, meanings) {
  const snippet = document.createElement('span')
  snippet.className = 'snippet'
  const all = meanings.flat().sort((one, other) => other.length - one.length)
  const found = new RegExp(
    `(${all.map((word) => word.replaceAll(/[^\w\s]/g, '\\$&')).join('|')})`,
    'gi',
  )
  const at = Math.max(0, text.search(found))
  const start = at < 60 ? 0 : text.indexOf(' ', at - 50) + 1
  const piece = text.slice(start, start + 150)
  if (start > 0) snippet.append('… ')
  for (const [position, part] of piece.split(found).entries()) {
    if (position % 2 === 0) snippet.append(part)
    else snippet.append(Object.assign(document.createElement('mark'), { textContent: part }))
  }
  if (start + 150 < text.length) snippet.append(' …')
  return snippet
}

function resultOf(entry, meanings) {
  const { title, page, href, reader } = entry
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = href
  link.append(title)
  const where = [reader === search.dataset.reader ? '' : reader, page === title ? '' : page]
  const small = document.createElement('small')
  small.append(where.filter(Boolean).join(' · '))
  if (small.textContent) link.append(small)
  link.append(snippetOf(entry, meanings))
  item.append(link)
  return item
}

async function show() {
  const query = input.value.trim()
  if (query === '') return hide()
  index ??= load()
  const { entries, synonyms } = await index
  if (query !== input.value.trim()) return
  const meanings = meaningsOf(query, synonyms)
  const found = matches(entries, meanings)
  results.querySelector('p').textContent =
    found.length === 0 ? 'Nothing found' : `${found.length} found`
  const shown = found.slice(0, 12).map((entry) => resultOf(entry, meanings))
  results.querySelector('ul').replaceChildren(...shown)
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
  // The reference has a search of its own, which listens to the same keys.
  if (document.body.classList.contains('reference')) return
  const isCommand = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
  if (!isCommand && (event.key !== '/' || isTyping)) return
  event.preventDefault()
  input.focus()
  input.select()
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

/** Samples of the same code in several languages become tabs. The chosen language is that of every sample. */
const samples = new Set(['curl', 'TypeScript', 'Python', 'Go'])
const isSample = (element) =>
  element?.matches('figure.code') && samples.has(element.dataset.language)
const groups = []

for (const figure of document.querySelectorAll('figure.code')) {
  if (!isSample(figure) || figure.closest('.tabbed')) continue
  const group = [figure]
  // The same language again begins another sample.
  const isNew = (element) =>
    isSample(element) && group.every(({ dataset }) => dataset.language !== element.dataset.language)
  while (isNew(group.at(-1).nextElementSibling)) group.push(group.at(-1).nextElementSibling)
  if (group.length > 1) groups.push(makeTabs(group, groups.length))
}

const remembered = 'docs.language'

function choose(language) {
  for (const select of groups) select(language)
}

try {
  choose(localStorage.getItem(remembered))
} catch {
  // A browser may refuse to remember anything.
}

function remember(language) {
  try {
    localStorage.setItem(remembered, language)
  } catch {
    // The choice then counts for this page only.
  }
}

/** Returns what selects a language, if the samples have it. */
function makeTabs(group, number) {
  const box = document.createElement('div')
  box.className = 'code tabbed'
  group[0].before(box)
  const list = document.createElement('div')
  list.className = 'tabs'
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', 'Language')
  const languages = group.map(({ dataset }) => dataset.language)
  const panels = group.map(panelOf)
  const tabs = languages.map(tabOf)
  list.append(...tabs)
  box.append(list, ...panels)
  select(0)
  return (language) => languages.includes(language) && select(languages.indexOf(language))

  function panelOf(figure) {
    const { language } = figure.dataset
    const panel = document.createElement('div')
    panel.id = `sample-${number}-${language.toLowerCase()}`
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-label', language)
    panel.append(figure)
    return panel
  }

  function tabOf(language, position) {
    const tab = button(language)
    tab.setAttribute('role', 'tab')
    tab.setAttribute('aria-controls', panels[position].id)
    tab.addEventListener('click', () => pick(position))
    tab.addEventListener('keydown', ({ key }) => {
      const offset = { ArrowRight: 1, ArrowLeft: -1 }[key]
      if (offset) pick((position + offset + group.length) % group.length).focus()
    })
    return tab
  }

  /** Selects for all samples of the page, and keeps this one where it is on the screen. */
  function pick(position) {
    const before = box.getBoundingClientRect().top
    remember(languages[position])
    choose(languages[position])
    scrollBy({ top: box.getBoundingClientRect().top - before, behavior: 'instant' })
    return tabs[position]
  }

  function select(chosen) {
    for (const [position, panel] of panels.entries()) {
      const isChosen = position === chosen
      panel.hidden = !isChosen
      tabs[position].setAttribute('aria-selected', String(isChosen))
      tabs[position].tabIndex = isChosen ? 0 : -1
    }
  }
}
