import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { routes } from '../../../rest-facade/routes/index.ts'
import { widenedRoutes, wideningOf } from '../../../rest-facade/steps/step-up/widening.ts'

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
  `${method.toUpperCase()} ${path}`

test('what a route can widen is said for every route that changes something, and for no other', () => {
  const changing = routes.filter(({ method }) => method !== 'get').map(nameOf)

  expect(changing.toSorted()).toEqual(widenedRoutes.toSorted())
})

test('a change without an entry stops the start', () => {
  expect(() => wideningOf({ method: 'post', path: '/account/new' })).toThrow(
    'POST /account/new is not among the widenings of rest-facade/steps/step-up.',
  )
})

test('docs/contract.md §10 has every route that widens something, and no other', () => {
  const contract = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8')
  const [, section = ''] = contract.split('### Step-up')
  const [table = ''] = section.split('## ')
  const documented = table.split('\n').filter((line) => /^\| [A-Z]/.test(line))

  const rows = widenedRoutes.flatMap((name) => {
    const [method = '', path = ''] = name.split(' ')
    const widening = wideningOf({ method, path })
    if (!widening || widening.widens === null) return []
    const shown = path.replaceAll(/:([a-z_]+)/g, '{$1}')
    return [`| ${method} \`/v1${shown}\` | ${widening.widens} | ${widening.when ?? 'all'} |`]
  })
  expect(documented).toEqual(rows)
})
