import { html, type Markup } from '../rest-facade/pages/html/html.ts'
import { type Reader, readers, readerTabs, readText, type StoredPage } from './stored-pages.ts'
import { fillMarkup, type Values } from './values/value.ts'

/** The data for the parts of a page around its text. */
export interface Frame {
  /** All pages, in the order of the navigation. */
  readonly pages: readonly StoredPage[]
  readonly values: Values
  /** The address of a page or asset, by its name below `/docs`. */
  readonly hrefOf: (name: string) => string
  readonly statusUrl: string
  /** The address of the console; null: there is none. */
  readonly consoleUrl: string | null
}

const product = 'Credit Gateway API'

/** A page as HTML. It loads scripts and styles only from our files. */
export function pageHtml(page: StoredPage, frame: Frame): string {
  const { pages, hrefOf } = frame
  const isLanding = page.name === ''
  return documentHtml({
    ...{ title: isLanding ? product : `${page.title} · ${product}`, frame, page },
    bodyClass: isLanding ? 'landing' : 'guide',
    main: html`<main id="content" tabindex="-1"><article>
${textOf(page, frame)}</article>
${isLanding ? null : around(page, pages, hrefOf)}
<footer>This page as <a href="${hrefOf(markdownName(page))}">Markdown</a></footer></main>`,
    aside: isLanding ? null : contentsOf(page),
  })
}

/**
 * The reference: Scalar renders it from the OpenAPI document. Its configuration is in an attribute,
 * so that the page needs no inline script.
 */
export function referenceHtml(page: StoredPage, frame: Frame, configuration: object): string {
  const { hrefOf } = frame
  return documentHtml({
    ...{ title: `${page.title} · ${product}`, frame, page, bodyClass: 'reference', aside: null },
    // Scalar adds its own landmark.
    main: html`<div id="content" tabindex="-1"><div id="reference" data-configuration="${JSON.stringify(configuration)}"></div></div>
<noscript><main><article>${textOf(page, frame)}</article></main></noscript>
<script src="${hrefOf('assets/scalar.js')}" defer></script>
<script src="${hrefOf('assets/reference.js')}" defer></script>`,
  })
}

/** The page that a browser gets for an unknown address. */
export function missingHtml(frame: Frame): string {
  const where = html`<a href="${frame.hrefOf('contents')}">all pages</a>`
  const text = html`<p>It may have moved. Search above, or look at ${where}.</p>`
  return messageHtml(frame, 'There is no page here', text)
}

/** A page that does not belong to the documentation, in the same frame. */
export function messageHtml(frame: Frame, title: string, text: Markup): string {
  return documentHtml({
    ...{ title: `${title} · ${product}`, frame, page: null, bodyClass: 'guide', aside: null },
    main: html`<main id="content" tabindex="-1"><article>
<h1>${title}</h1>
${text}
</article></main>`,
  })
}

/** A page's address as Markdown, below `/docs`. */
export function markdownName({ name }: StoredPage): string {
  return `${name === '' ? 'index' : name}.md`
}

/** The text of a page. Its links, which begin with `/docs`, get their addresses from `hrefOf`. */
function textOf(page: StoredPage, { values, hrefOf }: Frame): Markup {
  const linked = readText(page, 'html').replaceAll(
    /href="\/docs\/?([^"#]*)/g,
    (_, name: string) => html`href="${hrefOf(name)}`.markup,
  )
  return fillMarkup(linked, values)
}

interface DocumentOptions {
  readonly title: string
  readonly frame: Frame
  /** The page that is shown; null if the navigation does not have it. */
  readonly page: StoredPage | null
  readonly bodyClass: string
  readonly main: Markup
  readonly aside: Markup | null
}

function documentHtml({ title, frame, page, bodyClass, main, aside }: DocumentOptions): string {
  const { hrefOf } = frame
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${page && html`<meta name="description" content="${page.description}">`}
<link rel="icon" href="${hrefOf('assets/icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${hrefOf('assets/docs.css')}">
<script src="${hrefOf('assets/docs.js')}" defer></script>
</head>
<body class="${bodyClass}">
<a class="skip" href="#content">Skip to the text</a>
${topBar(frame, page?.reader ?? 'api')}
<div class="layout">
${navigation(frame, page)}
${main}
${aside}
</div>
</body>
</html>
`.markup
}

function topBar(frame: Frame, reader: Reader): Markup {
  const { hrefOf, consoleUrl, statusUrl } = frame
  return html`<header class="top">
<div class="bar">
<button class="menu" type="button" popovertarget="pages">Menu</button>
<a class="brand" href="${hrefOf('')}">${logo}Credit Gateway <span>API</span></a>
<form class="search" role="search" action="${hrefOf('contents')}" data-index="${hrefOf('assets/search.json')}" data-reader="${readerTabs[reader]}">
<label class="unseen" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">Ctrl K</kbd>
<div class="results" hidden><p role="status"></p><ul></ul></div>
</form>
<nav class="elsewhere" aria-label="Elsewhere"><a href="${statusUrl}">Status</a>
${consoleUrl && html`<a class="console" href="${consoleUrl}">Console</a>`}</nav>
</div>
${readerLinks(frame, reader)}
</header>`
}

/** The tabs of the three readers. Each leads to the first page of its reader. */
function readerLinks({ pages, hrefOf }: Frame, current: Reader): Markup {
  const tabs = readers.map((reader) => {
    const first = pages.find((page) => page.reader === reader)?.name ?? ''
    const state = reader === current ? html` aria-current="true"` : null
    return html`<a href="${hrefOf(first)}"${state}>${readerTabs[reader]}</a>`
  })
  return html`<nav class="readers" aria-label="Readers">${tabs}</nav>`
}

const logo = html`<svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6" fill="currentColor"/><path d="M16.5 8.2a5.4 5.4 0 1 0 0 7.6M12 12h7" fill="none" stroke="var(--on-accent)" stroke-width="2.2" stroke-linecap="round"/></svg>`

function navigation({ pages, hrefOf }: Frame, current: StoredPage | null): Markup {
  // A page outside the navigation is below a page of the navigation.
  const [parent = ''] = current?.name.split('/') ?? []
  const reader = current?.reader ?? 'api'
  const own = pages.filter((page) => page.reader === reader)
  const sections = Map.groupBy(own, ({ section }) => section)
  const lists = [...sections].map(([section, members]) =>
    section === null
      ? html``
      : html`<p id="section-${section.toLowerCase()}">${section}</p>
<ul aria-labelledby="section-${section.toLowerCase()}">${members.map(item)}</ul>`,
  )
  function item({ name, label }: StoredPage): Markup {
    const isHere = current !== null && name === parent
    const state = isHere && html` aria-current="${name === current.name ? 'page' : 'true'}"`
    return html`<li><a href="${hrefOf(name)}"${state || null}>${label}</a></li>`
  }
  return html`<nav class="pages" id="pages" popover aria-label="Documentation">${lists}</nav>`
}

function contentsOf({ sections }: StoredPage): Markup | null {
  if (sections.length < 2) return null
  const items = sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)
  return html`<nav class="toc" aria-labelledby="on-this-page"><p id="on-this-page">On this page</p>
<ul>${items}</ul></nav>`
}

/** Links to the previous and the next page in the navigation. */
function around(page: StoredPage, pages: readonly StoredPage[], hrefOf: Frame['hrefOf']) {
  const isBeside = ({ section, reader }: StoredPage) => section !== null && reader === page.reader
  const shown = pages.filter(isBeside)
  const position = shown.indexOf(page)
  if (position === -1) return null
  const [before, after] = [shown[position - 1], shown[position + 1]]
  return html`<nav class="around" aria-label="Neighbouring pages">
${before ? html`<a href="${hrefOf(before.name)}" rel="prev">← ${before.label}</a>` : html`<span></span>`}
${after ? html`<a href="${hrefOf(after.name)}" rel="next">${after.label} →</a>` : null}
</nav>`
}
