import 'graphiql/graphiql.css'
import './page.css'
import { GraphiQL, type GraphiQLProps } from 'graphiql'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'

const explorer = createRoot(elementOf('explorer'))
const status = elementOf('status')

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

/** Only this function has the token; nothing stores it. The headers editor takes precedence. */
function fetcherWith(token: string): GraphiQLProps['fetcher'] {
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

/** A new key makes a new explorer, which reads the schema again. GraphiQL keeps the typed query. */
function show(key: string, fetcher: GraphiQLProps['fetcher'], more: Partial<GraphiQLProps> = {}) {
  explorer.render(
    createElement(GraphiQL, {
      ...{ key, fetcher, defaultQuery: firstQuery, ...more },
      // Headers may contain a token.
      showPersistHeadersSettings: false,
    }),
  )
}

elementOf('token-form').addEventListener('submit', (event) => {
  event.preventDefault()
  const field = elementOf('token')
  const token = field instanceof HTMLInputElement ? field.value.trim() : ''
  status.textContent = 'Reading the schema …'
  show(token, fetcherWith(token))
})

// The schema cannot be read without a token.
show('', fetcherWith(''), { schema: null })

function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (!element) throw new Error(`The page has no ${id}.`)
  return element
}
