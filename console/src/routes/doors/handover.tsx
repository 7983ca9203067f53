export function HandoverPage() {
  return null
}
