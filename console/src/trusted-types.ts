/**
 * The libraries of the console fill style elements with text. The policy of the page lets only text
 * pass that cannot be markup. So no part of an answer can become an element or a script.
 */
export function permitOnlyText(): void {
  window.trustedTypes?.createPolicy('default', {
    createHTML(text) {
      if (text.includes('<')) throw new TypeError('The console makes no markup from text.')
      return text
    },
  })
}

declare global {
  interface Window {
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { createHTML(text: string): string }): unknown
    }
  }
}
