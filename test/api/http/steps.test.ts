import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inOrder, type Step } from '../../../rest-facade/steps/dispatch/steps.ts'
import { rounds, seed } from '../../support/extent/extent.ts'

/** How a step ends. */
type Ending = 'next' | 'later' | 'fail' | 'fail later' | 'throw' | 'reject' | 'answer'

interface Planned {
  readonly ending: Ending
  readonly isRescuer: boolean
}

const planned: fc.Arbitrary<Planned> = fc.record({
  ending: fc.constantFrom<Ending[]>(
    ...(['next', 'next', 'later', 'fail', 'fail later', 'throw', 'reject', 'answer'] as const),
  ),
  isRescuer: fc.boolean(),
})

type Trail = string[]

function toStep({ ending, isRescuer }: Planned, index: number, trail: Trail): Step {
  const failure = new Error(`failure of ${index}`)
  const run: RequestHandler = function run(_req, res, next) {
    switch (ending) {
      case 'next':
        return next()
      case 'later':
        return Promise.resolve().then(() => next())
      case 'fail':
        return next(failure)
      case 'fail later':
        return Promise.resolve().then(() => next(failure))
      case 'throw':
        throw failure
      case 'reject':
        return Promise.reject(failure)
      default:
        return void res.end(trail.join('\n'))
    }
  }
  if (!isRescuer) {
    return function step(req, res, next) {
      trail.push(`${index}`)
      return run(req, res, next)
    } satisfies RequestHandler
  }
  return function rescuer(error, req, res, next) {
    trail.push(`${index} after ${error.message}`)
    return run(req, res, next)
  } satisfies ErrorRequestHandler
}

let server: Server
let answer: RequestHandler
beforeAll(async () => {
  const app = express()
  app.use((req, res, next) => answer(req, res, next))
  app.use(((error, _req, res, _next) =>
    res.end(`left: ${error.message}`)) satisfies ErrorRequestHandler)
  app.use(((_req, res) => void res.end('left')) satisfies RequestHandler)
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

async function trailOf(make: (steps: readonly Step[]) => RequestHandler, plan: readonly Planned[]) {
  const trail: Trail = []
  answer = make(plan.map((one, index) => toStep(one, index, trail)))
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`)
  return { trail, text: await response.text() }
}

function inRouter(steps: readonly Step[]): RequestHandler {
  const router = Router()
  router.all('/', ...steps)
  return router
}

test('steps in order run and fail as those of a route of Express do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(planned, { minLength: 1, maxLength: 6 }), async (plan) => {
      expect(await trailOf(inOrder, plan)).toEqual(await trailOf(inRouter, plan))
    }),
    { seed, numRuns: rounds('STEP_PLANS', { all: 80, nightly: 5000 }) },
  )
})
