import { extractText, getDocumentProxy } from 'unpdf'

/** The contents of a PDF, as a reader sees them. */
export interface ReadPdf {
  readonly text: string
  readonly pages: number
  readonly title: unknown
  readonly author: unknown
  /** The texts in the order of the file, each with its place on its page, in points from below on the left. */
  readonly items: readonly PdfItem[]
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
  for (let page = 1; page <= totalPages; page += 1) {
    const content = await (await document.getPage(page)).getTextContent()
    for (const { str, transform } of content.items.filter((item) => 'str' in item)) {
      const [x, y] = transform.slice(4)
      if (str.trim() !== '') items.push({ text: str, page, x: Number(x), y: Number(y) })
    }
  }
  return { text, pages: totalPages, title, author, items }
}
