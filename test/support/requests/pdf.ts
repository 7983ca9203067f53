import { extractText, getDocumentProxy } from 'unpdf'

/** The contents of a PDF, as a reader sees them. */
export interface ReadPdf {
  readonly text: string
  readonly pages: number
  readonly title: unknown
  readonly author: unknown
}

/** Throws for what is no PDF. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  // The reader takes the bytes away.
  const document = await getDocumentProxy(new Uint8Array(bytes))
  const { text, totalPages } = await extractText(document, { mergePages: true })
  const { info } = await document.getMetadata()
  const { Title: title, Author: author } = Object(info)
  return { text, pages: totalPages, title, author }
}
