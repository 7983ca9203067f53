import { z } from 'zod'
import { scopes, serviceSlugs } from '../vocabulary/scopes.ts'
import { deprecationProblem } from './deprecation.ts'

/** A JSON Schema 2020-12, which is checked by compiling it. */
const jsonSchema = z.record(z.string(), z.unknown())

const credits = z.int().min(0).max(1_000_000)

/** The price of a call: a fixed number of credits, or a number for each delivered unit. */
const price = z.union([
  z.strictObject({ flat: credits }),
  z.strictObject({
    per_unit: credits,
    max_units: z.int().min(1).max(100_000),
    /** The name of one unit, for people: `result`. */
    unit_name: z
      .string()
      .max(40)
      .regex(/^[a-z]+( [a-z]+)*$/, 'must be a noun in small letters')
      .default('unit'),
    /** JSON Pointer to the array whose length counts if the backend does not report its credits. */
    units_at: z.string().regex(/^(\/([^/~]|~[01])+)+$/, 'must be a JSON Pointer'),
    /** The request field that lowers max_units: an integer, or an array by its length. */
    bounded_by: z.string().min(1).optional(),
  }),
])

/** See `Deprecation`. */
const deprecation = z
  .strictObject({
    since: z.iso.date(),
    sunset: z.iso.date(),
    successor: z.string().startsWith('/v1/').optional(),
    reason: z.string().min(1),
  })
  .superRefine((value, context) => {
    const message = deprecationProblem(value)
    if (message !== null) context.addIssue({ code: 'custom', path: ['sunset'], message })
  })

const operation = z.strictObject({
  id: z.string().regex(/^[a-z][A-Za-z]+$/, 'must be camelCase'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().regex(/^(\/[a-z0-9-]+|\/\{[a-z_]+\})+$/, 'must look like /things/{thing_id}'),
  summary: z.string().min(1),
  description: z.string().min(1).optional(),
  /** The scope of the operation; by default `<slug>:read` for GET and `<slug>:write` for other methods. */
  scope: z.enum(scopes).optional(),
  credits: price,
  /** Whether a second request to the backend has no second effect. */
  idempotent: z.boolean(),
  /** Whether people outside of the account see what it does, so that it cannot be taken back. */
  publishes: z.boolean().optional(),
  /** The operation will end: every answer and the documentation say so. */
  deprecated: deprecation.optional(),
  request: z
    .strictObject({
      path: jsonSchema.optional(),
      query: jsonSchema.optional(),
      body: jsonSchema.optional(),
    })
    .default({}),
  response: z.strictObject({ status: z.int().min(200).max(299).default(200), schema: jsonSchema }),
})

/** The file of one product service, as its operator writes it. */
export const catalogFile = z.strictObject({
  slug: z.enum(serviceSlugs),
  name: z.string().min(1),
  backend_module: z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be kebab-case'),
  operations: z.array(operation).min(1),
})

export type CatalogFile = z.infer<typeof catalogFile>
export type OperationFile = z.infer<typeof operation>
export type Price = z.infer<typeof price>
