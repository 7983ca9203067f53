const quotationMarks = /["\u00ab\u00bb\u2018-\u201f\u2039\u203a\u300c-\u300f\uff02]/g

/** A name that nobody has verified, to stand in quotation marks: marks within it could end the quotation. */
export function quotable(name: string): string {
  return name.replaceAll(quotationMarks, "'")
}
