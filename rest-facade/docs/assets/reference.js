/* Runs in the browser, after Scalar. */
const place = document.getElementById('reference')
globalThis.Scalar.createApiReference(place, JSON.parse(place.dataset.configuration))
