/* Runs in the browser, after React and GraphiQL. */
const { createElement } = globalThis.React
const { GraphiQL } = globalThis
const explorer = globalThis.ReactDOM.createRoot(document.getElementById('explorer'))
const status = document.getElementById('status')

const firstQuery = `# The role of the token decides what answers.
query Accounts {
  accounts(first: 10) {
    nodes {
      id
      name
      balance
    }
  }
}
`

/** The token stays in this function: nothing stores it. What the headers editor says comes first. */
function fetcherWith(token) {
  return async function ask(request, options = {}) {
    const headers = new Headers(options.headers)
    headers.set('content-type', 'application/json')
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${token}`)
    const response = await fetch('graphql', {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
    })
    const answer = await response.json()
    status.textContent = answer.error ? answer.error.message : 'The token is in use.'
    return answer
  }
}

/** Another key: another explorer, which reads the schema anew; what was typed is kept by GraphiQL. */
function show(key, fetcher, more) {
  explorer.render(
    createElement(GraphiQL, {
      ...{ key, fetcher, defaultQuery: firstQuery, ...more },
      // They may hold a token.
      showPersistHeadersSettings: false,
    }),
  )
}

document.getElementById('token-form').addEventListener('submit', (event) => {
  event.preventDefault()
  const token = document.getElementById('token').value.trim()
  status.textContent = 'Reading the schema …'
  show(token, fetcherWith(token))
})

// Without a token there is no schema to be read.
show('', fetcherWith(''), { schema: null })
