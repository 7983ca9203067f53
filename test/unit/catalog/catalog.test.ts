import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CatalogError, loadCatalog } from '../../../schema/catalog/load-catalog.ts'

const valid = `slug: contacts
name: Contact Finder
backend_module: contact-finder
operations:
  - id: getContact
    method: GET
    path: /{contact_id}
    summary: One contact
    credits: { flat: 0 }
    idempotent: true
    request:
      path: { type: object, properties: { contact_id: { type: string } } }
    response:
      schema: { type: object }
`

/** Charged by the length of a list, and bounded by a field of the request. */
const priced = `slug: seo
name: SEO
backend_module: seo
operations:
  - id: listKeywords
    method: GET
    path: /keywords
    summary: Keywords
    credits:
      per_unit: 1
      max_units: 10
      units_at: /page/items
      bounded_by: limit
    idempotent: true
    request:
      query:
        type: object
        properties: { limit: { type: integer }, terms: { type: array }, name: { type: string } }
    response:
      schema:
        type: object
        properties:
          page: { type: object, properties: { items: { type: array }, total: { type: integer } } }
`

/** The result of loading these files: the lines of the error, or the slugs of the services. */
function load(files: Readonly<Record<string, string>>): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return loadCatalog(folder).services.map(({ slug }) => slug)
  } catch (error) {
    if (error instanceof CatalogError) return error.message.split('\n')
    throw error
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('the catalog', () => {
  test('has the eight services of the contract', () => {
    const modules = loadCatalog().services.map(({ slug, name, backendModule }) => [
      slug,
      name,
      backendModule,
    ])

    expect(modules).toEqual([
      ['campaigns', 'Build Campaign', 'build-campaign'],
      ['cloud', 'Cloud', 'cloud'],
      ['contacts', 'Contact Finder', 'contact-finder'],
      ['markets', 'Markets', 'markets'],
      ['promote', 'Promote', 'promote'],
      ['reviews', 'Reviews', 'reviews'],
      ['seo', 'SEO', 'seo'],
      ['who-is-searching', 'Who-Is-Searching', 'who-is-searching'],
    ])
  })

  test('reads every YAML file of the folder and nothing else, with either extension', () => {
    const seo = valid
      .replaceAll('contacts', 'seo')
      .replaceAll('contact-finder', 'seo')
      .replaceAll('getContact', 'getSeo')

    expect(load({ 'contacts.yaml': valid, 'seo.yml': seo, 'README.md': '# x' })).toEqual([
      'contacts',
      'seo',
    ])
  })

  test('gives an operation the scope of its method unless it names one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-'))
    const post = valid.replace('method: GET', 'method: POST')
    const named = valid.replace('method: GET', 'method: GET\n    scope: contacts:write')
    const scopes = [valid, post, named].map((text) => {
      writeFileSync(join(folder, 'contacts.yaml'), text)
      return loadCatalog(folder).services[0]?.operations[0]?.scope
    })
    rmSync(folder, { recursive: true })

    expect(scopes).toEqual(['contacts:read', 'contacts:write', 'contacts:write'])
  })

  test('names file, line, field and reason of a problem', () => {
    const broken = valid.replace('flat: 0', 'flat: -1')

    const [problem, ...others] = load({ 'contacts.yaml': broken })

    expect(problem).toMatch(/^contacts\.yaml:9: operations\.0\.credits\b.*: \S/)
    expect(others).toEqual([])
  })

  test.each([
    ['an unknown service', valid.replace('slug: contacts', 'slug: weather'), 1, 'slug'],
    ['a missing name', valid.replace('name: Contact Finder\n', ''), 1, 'name'],
    ['an unknown member', `${valid}colour: red\n`, 1, 'file'],
    ['an unknown method', valid.replace('GET', 'FETCH'), 6, 'operations.0.method'],
    ['a path that is none', valid.replace('/{contact_id}', 'contact'), 7, 'operations.0.path'],
    ['an unknown scope', valid.replace('GET', 'GET\n    scope: x:y'), 7, 'operations.0.scope'],
    [
      'a price that is no integer',
      valid.replace('flat: 0', 'flat: 1.5'),
      9,
      'operations.0.credits',
    ],
    [
      'an end sooner than 6 months after it is announced',
      valid.replace(
        'GET',
        'GET\n    deprecated: { since: 2026-03-01, sunset: 2026-08-31, reason: Because. }',
      ),
      7,
      'operations.0.deprecated.sunset',
    ],
    ['a flag that is none', valid.replace('true', 'maybe'), 10, 'operations.0.idempotent'],
    [
      'a placeholder without a schema',
      valid.replace('{ contact_id:', '{ other_id:'),
      7,
      'operations.0.path',
    ],
    [
      'a schema that is none',
      valid.replace('schema: { type: object }', 'schema: { type: thing }'),
      14,
      'operations.0.response.schema.type',
    ],
    [
      'a schema with a member that none has',
      valid.replace('type: object, properties', 'type: object, propertis'),
      12,
      'operations.0.request.path',
    ],
    [
      'no operations',
      `${valid.slice(0, valid.indexOf('operations:'))}operations: []\n`,
      4,
      'operations',
    ],
    ['YAML that is none', `${valid}  - ]\n`, 15, 'file'],
  ])('refuses %s', (_, text, line, field) => {
    const problems = load({ 'contacts.yaml': text })

    const places = problems.map((problem) => problem.split(': ').slice(0, 2).join(': '))
    expect(places).toContain(`contacts.yaml:${line}: ${field}`)
  })

  test.each(['limit', 'terms'])('lets the requested %s limit a price', (field) => {
    expect(load({ 'seo.yaml': priced.replace('by: limit', `by: ${field}`) })).toEqual(['seo'])
  })

  test.each([
    ['/total', 12, 'units_at', 'names /total, which the response schema lacks'],
    ['/page/total', 12, 'units_at', 'must point to an array; /page/total has the type integer'],
    ['/page', 12, 'units_at', 'must point to an array; /page has the type object'],
    ['items', 12, 'units_at', 'must be a JSON Pointer'],
    ['/page/~2', 12, 'units_at', 'must be a JSON Pointer'],
    ['size', 13, 'bounded_by', 'names size, which no request schema has'],
    ['name', 13, 'bounded_by', 'must name an integer or an array; name has the type string'],
  ])('refuses %s as a unit', (value, line, field, reason) => {
    const was = field === 'units_at' ? 'units_at: /page/items' : 'bounded_by: limit'

    const problems = load({ 'seo.yaml': priced.replace(was, `${field}: ${value}`) })

    expect(problems).toEqual([`seo.yaml:${line}: operations.0.credits.${field}: ${reason}`])
  })

  test.each([
    ['contact_id', 'contact_id'],
    ['max_credits', 'max_credits'],
  ])('refuses a member of the body that a tool would have twice: %s', (member, named) => {
    const body = `request:\n      body: { type: object, properties: { ${member}: { type: string } } }`
    const file = valid.replace('request:', body)

    expect(load({ 'contacts.yaml': file })).toEqual([
      expect.stringMatching(
        `operations.0.request: the tool contacts_get_contact would have ${named} twice`,
      ),
    ])
  })

  test('names each invalid schema by its own place', () => {
    const broken = priced
      .replace('limit: { type: integer }', 'limit: { type: whole }')
      .replace('{ items: { type: array }', '{ items: { type: array, minItems: -1 }')

    const places = load({ 'seo.yaml': broken }).map((line) => line.split(': ', 2).join(': '))

    expect(places).toEqual([
      'seo.yaml:18: operations.0.request.query.properties.limit.type',
      'seo.yaml:23: operations.0.response.schema.properties.page.properties.items.minItems',
    ])
  })

  test('lists all problems of all files at once', () => {
    const problems = load({
      'contacts.yaml': valid.replace('GET', 'FETCH').replace('flat: 0', 'flat: -1'),
      'seo.yaml': valid.replace('slug: contacts', 'slug: weather'),
    })

    expect(problems.map((problem) => problem.split(':').slice(0, 2).join(':'))).toEqual([
      'contacts.yaml:6',
      'contacts.yaml:9',
      'seo.yaml:1',
    ])
  })

  test('refuses a module, route or operation that two files claim', () => {
    const problems = load({
      'people.yml': valid,
      'seo.yaml': valid.replace('slug: contacts', 'slug: seo'),
    })

    expect(problems).toEqual([
      'seo.yaml:1: backend_module contact-finder: is in people.yml too',
      'seo.yaml:1: operation getContact: is in people.yml too',
    ])
  })
})
