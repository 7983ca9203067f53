/* Runs in the browser, after Scalar. */
const place = document.getElementById('reference')

/** What Scalar leaves out, whenever it draws: names of its icons, and a way to scroll without a mouse. */
function mend() {
  for (const button of place.querySelectorAll('.scalar-code-copy:not([aria-label])')) {
    button.setAttribute('aria-label', 'Copy')
  }
  for (const list of place.querySelectorAll('ul.endpoints:not([tabindex])')) list.tabIndex = 0
}

new MutationObserver(mend).observe(place, { childList: true, subtree: true })
globalThis.Scalar.createApiReference(place, JSON.parse(place.dataset.configuration))
