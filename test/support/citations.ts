/** Ids that can be cited, by the path of their page: `docs/promises.md` → `r5`. */
export type CitablePages = ReadonlyMap<string, ReadonlySet<string>>

/** A citation or link that leads nowhere, at an offset of the text. */
export interface BrokenReference {
  readonly offset: number
  readonly problem: string
}

const id = String.raw`(?:§\d+(?:\.\d+)?|[A-Z]?\d+)(?!\w)`
const citation = new RegExp(
  String.raw`(?<![\w/.-])(docs/[a-z-]+\.md)(?: +(${id}(?:(?:-|, +| +and +)${id})*))?`,
  'g',
)

const standard =
  /(?:RFC \d+|OpenID Connect (?:Core|Discovery)|OAuth 2\.0 (?:Multiple Response Types|Security BCP)|GraphQL) +§[\d.]+(?:(?:,| and) +§[\d.]+)*/g

const pageNames = 'contract|spec|specification|design|architecture|promises?'

/** The old form of citations, of documents outside of the repository. */
const oldForms = [
  /§ ?\d[\d.]*/g,
  new RegExp(String.raw` \((?:${pageNames})[ ,][^()]*\)`, 'gi'),
  /\bdesign, +oauth\b/gi,
  /\bspec,? +(?:limits|pagination|authentication|public|error envelope|account tiers)\b/gi,
  /\b(?:promises?|invariants?) +[A-Z]\d+/gi,
  /\brules? +\d+/gi,
  /(?<=[('"`])[GIJMOPRS]\d{1,2}(?=\)|: )/g,
]

/**
 * Citations whose page or id does not exist, and those of an older form. A citation that is wrapped
 * over two lines of a comment is read as one.
 */
export function brokenCitations(text: string, pages: CitablePages): BrokenReference[] {
  const unwrapped = text.replaceAll(/\n[ \t]*(?:\*|\/\/|#|--)?[ \t]*/g, blank)
  const broken = [...unwrapped.matchAll(citation)].flatMap(({ index, 1: page = '', 2: ids }) =>
    citationProblems(page, ids, pages).map((problem) => ({ offset: index, problem })),
  )
  const rest = unwrapped.replaceAll(citation, blank).replaceAll(standard, blank)
  const old = oldForms.flatMap((form) =>
    [...rest.matchAll(form)].map(({ 0: found, index }) => ({
      offset: index,
      problem: `"${found.trim()}" is not cited as docs/<page>.md <id>`,
    })),
  )
  return [...broken, ...old]
}

/** Citations in public texts: their readers cannot open the documents. */
export function citationOffsets(text: string): number[] {
  return [...text.matchAll(citation)].map(({ index }) => index)
}

function blank(text: string): string {
  return ' '.repeat(text.length)
}

function citationProblems(page: string, ids: string | undefined, pages: CitablePages): string[] {
  const anchors = pages.get(page)
  if (!anchors) return [`${page} does not exist`]
  return citedIds(ids ?? '')
    .filter((cited) => !anchors.has(cited.toLowerCase().replace('§', 's')))
    .map((cited) => `${page} has no ${cited}`)
}

/** Each id of a list; a range stands for all ids within it. */
function citedIds(list: string): string[] {
  const parts = list.split(/, +| +and +/).filter(Boolean)
  return parts.flatMap((part) => {
    const [first = '', last] = part.split('-')
    if (last === undefined) return [first]
    const count = Number(last) - Number(first) + 1
    return count > 1
      ? Array.from({ length: count }, (_, index) => String(Number(first) + index))
      : [part]
  })
}
