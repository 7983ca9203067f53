/** A link of a Markdown text, at an offset of it. */
export interface MarkdownLink {
  readonly offset: number
  readonly target: string
}

/**
 * Links to other files and anchors of the project; addresses of the web and of the served site are
 * left out.
 */
export function projectLinks(markdown: string): MarkdownLink[] {
  const links = withoutCode(markdown).matchAll(/\]\(([^()\s]+)(?: +"[^"]*")?\)/g)
  return [...links]
    .map(({ index, 1: target = '' }) => ({ offset: index, target }))
    .filter(({ target }) => !/^(?:[a-z][a-z+.-]*:|\/|\{\{)/i.test(target))
}

/** Every fragment that a link can name: explicit anchors, and headings as GitHub names them. */
export function anchorsOf(markdown: string): Set<string> {
  const explicit = [...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, name = '']) => name)
  const headings = [...withoutCode(markdown).matchAll(/^#{1,6} /gm)].map(({ index, 0: marks }) => {
    const [line = ''] = markdown.slice(index + marks.length).split('\n')
    return slugOf(line)
  })
  const repeated = headings.map((slug, index) => {
    const before = headings.slice(0, index).filter((other) => other === slug).length
    return before === 0 ? slug : `${slug}-${before}`
  })
  return new Set([...explicit, ...repeated])
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

/** The text with blanks for code, so that offsets stay. */
function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^(```+)[^\n]*\n[\s\S]*?^\1$|(`+)[^`\n][^\n]*?\2/gm, (code) =>
    code.replaceAll(/[^\n]/g, ' '),
  )
}
