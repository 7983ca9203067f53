/**
 * The libraries of the console fill style elements with text. The policy of the page lets text pass that
 * cannot be markup, and nothing else; so no part of an answer can ever become an element or a script.
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
