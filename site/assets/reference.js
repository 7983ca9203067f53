/* Runs in the browser, after Scalar. */
const place = document.getElementById('reference')

/** Adds what Scalar lacks after each rendering: names of its icons, and scrolling by keyboard. */
function mend() {
  for (const button of place.querySelectorAll('.scalar-code-copy:not([aria-label])')) {
    button.setAttribute('aria-label', 'Copy')
  }
  // On a phone the words of these links are hidden.
  for (const link of place.querySelectorAll('.group > a[target]:not([aria-label])')) {
    const words = link.textContent.trim()
    if (words) link.setAttribute('aria-label', words)
  }
  for (const list of place.querySelectorAll('ul.endpoints:not([tabindex])')) list.tabIndex = 0
}

// A trial shows what a program gets: the cookie of a browser that is signed in must not help it.
const send = globalThis.fetch
globalThis.fetch = (request, options) => send(request, { ...options, credentials: 'omit' })

new MutationObserver(mend).observe(place, { childList: true, subtree: true })
globalThis.Scalar.createApiReference(place, JSON.parse(place.dataset.configuration))
