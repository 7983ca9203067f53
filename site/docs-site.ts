import { staticBody } from '../rest-facade/http/static-answer.ts'
import { contentTypes, type DocsSite, type SiteFile } from '../rest-facade/pages/docs/site-file.ts'
import { configuredJson } from './configured-json.ts'
import { filePolicy, pagePolicy, referencePolicy } from './content-policy.ts'
import { asset, staticAssets } from './docs-assets.ts'
import { llmsTxt } from './llms-txt.ts'
import {
  type Frame,
  markdownName,
  messageHtml,
  missingHtml,
  pageHtml,
  referenceHtml,
} from './page.ts'
import { scalarConfiguration } from './scalar.ts'
import { searchIndex } from './search-index.ts'
import { readPages, readText, type StoredPage } from './stored-pages.ts'
import type { DocsOptions } from './values/docs-options.ts'
import { allEndpoints, sectionsOf } from './values/endpoints.ts'
import { fillMarkdown, type Values } from './values/value.ts'
import { valuesOf } from './values/values.ts'

/** The specification has two codes for one condition. The second code leads to this page. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['/docs/errors/RATE_LIMITED', '/docs/rate-limits'],
])

/** All pages and their assets. Each is made at its first request and then kept. */
export function createDocsSite(options: DocsOptions): DocsSite {
  const { baseUrls, docsUrl, hasAgents = true } = options
  const values = valuesOf(options)
  const endpoints = allEndpoints(options)
  const pages = readPages({ hasAgents }).map((page) => ({
    ...page,
    description: fillMarkdown(page.description, values),
    sections: page.name === 'endpoints' ? sectionsOf(endpoints) : page.sections,
  }))
  const assets = new Map(staticAssets())
  const hrefOf = hrefsOf(options, assets)
  const frame: Frame = { pages, values, hrefOf, ...elsewhere(options) }
  const index = () => searchIndex({ pages, values, endpoints, hrefOf })
  assets.set('search.json', asset(contentTypes.json, index))

  const files = new Map<string, SiteFile>()
  for (const [name, file] of assets) files.set(`/docs/assets/${name}`, file)
  for (const page of pages) {
    files.set(`/docs/${page.name}`.replace(/\/$/, ''), pageFile(page, frame))
    files.set(`/docs/${markdownName(page)}`, markdownFile(page, values, docsUrl))
  }
  if (assets.has('scalar.js')) files.set('/docs/reference', referenceFile(options, frame))
  files.set('/docs/postman.json', {
    ...{ route: '/docs/postman.json', contentType: contentTypes.json, policy: filePolicy },
    body: staticBody(() => configuredJson('postman.json', options)),
  })
  files.set('/llms.txt', {
    ...{ route: '/llms.txt', contentType: contentTypes.text, policy: filePolicy },
    body: staticBody(() => llmsTxt(pages, { docsUrl, baseUrl: baseUrls.live, endpoints })),
  })
  return {
    find: (path) => files.get(path) ?? null,
    redirectOf(path) {
      const meant = otherNames.get(path) ?? path.replace(/\/$/, '')
      return meant !== path && files.has(meant) ? pathOf(baseUrls.live) + meant : null
    },
    missing: htmlFile('/docs/{page}', () => missingHtml(frame)),
    page: (title, text) => ({ markup: messageHtml(frame, title, text), policy: pagePolicy }),
    firstPage: hrefOf(''),
  }
}

/**
 * Links to assets always lead to this gateway. Links to pages lead to DOCS_URL. If that is on this
 * host, they are paths, so that readers stay on the host name that they used.
 */
function hrefsOf(
  { baseUrls, docsUrl }: DocsOptions,
  assets: ReadonlyMap<string, SiteFile>,
): Frame['hrefOf'] {
  const own = `${pathOf(baseUrls.live)}/docs`
  const isHere = new URL(docsUrl).origin === new URL(baseUrls.live).origin
  const root = isHere ? pathOf(docsUrl) : docsUrl
  return (name) => {
    if (name === '') return root
    const version = assets.get(name.replace(/^assets\//, ''))?.version
    return version ? `${own}/${name}?v=${version()}` : `${root}/${name}`
  }
}

/** Addresses of this gateway that are no pages of the documentation: readers stay on the host name that they used. */
function elsewhere({ baseUrls, hasConsole = true }: DocsOptions) {
  const root = pathOf(baseUrls.live)
  return { statusUrl: `${root}/status`, consoleUrl: hasConsole ? `${root}/console` : null }
}

function pathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, '')
}

function htmlFile(route: string, make: () => string): SiteFile {
  return { route, contentType: contentTypes.html, policy: pagePolicy, body: staticBody(make) }
}

function pageFile(page: StoredPage, frame: Frame): SiteFile {
  const isError = page.name.startsWith('errors/')
  const route = isError ? '/docs/errors/{code}' : `/docs/${page.name}`.replace(/\/$/, '')
  return htmlFile(route, () => pageHtml(page, frame))
}

function markdownFile(page: StoredPage, values: Values, docsUrl: string): SiteFile {
  const absolute = () =>
    fillMarkdown(readText(page, 'md'), values).replaceAll(
      /\]\(\/docs\/?([^)#]*)/g,
      (_, name: string) => (name === '' ? `](${docsUrl}` : `](${docsUrl}/${name}`),
    )
  return {
    ...{ route: '/docs/{page}.md', contentType: contentTypes.markdown, policy: filePolicy },
    body: staticBody(absolute),
  }
}

function referenceFile(options: DocsOptions, frame: Frame): SiteFile {
  const { baseUrls } = options
  const page = frame.pages.find(({ name }) => name === 'reference')
  if (!page) throw new Error('The reference is missing among the pages.')
  const configuration = scalarConfiguration(options, `${pathOf(baseUrls.live)}/v1/openapi.json`)
  const file = htmlFile('/docs/reference', () => referenceHtml(page, frame, configuration))
  return { ...file, policy: referencePolicy(baseUrls) }
}
