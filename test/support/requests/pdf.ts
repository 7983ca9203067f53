import { extractText, getDocumentProxy } from 'unpdf'

/** The contents of a PDF, as a reader sees them. */
export interface ReadPdf {
  readonly text: string
  readonly pages: number
  readonly title: unknown
  readonly author: unknown
  /** The texts in the order of the file, each with its place on its page, in points from below on the left. */
  readonly items: readonly PdfItem[]
  /** The texts as a reader speaks them; none for a PDF that has no tags. */
  readonly spoken: readonly PdfElement[]
}

interface PdfElement {
  /** The tags from the document to this element, such as `Document Table TR TD P`. */
  readonly tags: string
  readonly text: string
}

interface PdfItem {
  readonly text: string
  readonly page: number
  readonly x: number
  readonly y: number
}

/** Throws for what is no PDF. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  // The reader takes the bytes away.
  const document = await getDocumentProxy(new Uint8Array(bytes))
  const { text, totalPages } = await extractText(document, { mergePages: true })
  const { info } = await document.getMetadata()
  const { Title: title, Author: author } = Object(info)
  const items: PdfItem[] = []
  const spoken: PdfElement[] = []
  for (let page = 1; page <= totalPages; page += 1) {
    const onPage = await document.getPage(page)
    const content = await onPage.getTextContent()
    for (const { str, transform } of content.items.filter((item) => 'str' in item)) {
      const [x, y] = transform.slice(4)
      if (str.trim() !== '') items.push({ text: str, page, x: Number(x), y: Number(y) })
    }
    spoken.push(...(await spokenOn(onPage)))
  }
  return { text, pages: totalPages, title, author, items, spoken }
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>

/** The texts of a page in the order of its structure. */
async function spokenOn(page: Page): Promise<PdfElement[]> {
  const marked = await page.getTextContent({ includeMarkedContent: true })
  const texts = new Map<string, string>()
  let id = ''
  for (const item of marked.items) {
    // The library leaves out the space at the end of a line.
    if ('str' in item) texts.set(id, `${texts.get(id) ?? ''}${item.str}${item.hasEOL ? ' ' : ''}`)
    else id = item.type === 'beginMarkedContentProps' ? item.id : ''
  }
  const textsIn = (node: StructNode, tags: string): PdfElement[] => {
    const { role, children, id } = node
    if (id !== undefined) return [{ tags, text: (texts.get(id) ?? '').trim() }]
    const path = role === undefined || role === 'Root' ? tags : `${tags} ${role}`.trim()
    return (children ?? []).flatMap((child) => textsIn(child, path))
  }
  return textsIn(Object(await page.getStructTree()), '')
}

interface StructNode {
  readonly role?: string
  readonly id?: string
  readonly children?: readonly StructNode[]
}
