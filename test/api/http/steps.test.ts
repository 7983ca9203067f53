import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../../../gateway/listeners/listener.ts'
import { mount } from '../../../rest-facade/steps/dispatch/mount.ts'
import { requestListenerOf } from '../../../rest-facade/steps/dispatch/request-listener.ts'
import {
  inOrder,
  type NoteLateFailure,
  type Step,
} from '../../../rest-facade/steps/dispatch/steps.ts'
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

const noteLate: NoteLateFailure = (failure) => {
  throw failure
}

function inRouter(steps: readonly Step[]): RequestHandler {
  const router = Router()
  router.all('/', ...steps)
  return router
}

test('steps in order run and fail as those of a route of Express do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(planned, { minLength: 1, maxLength: 6 }), async (plan) => {
      expect(await trailOf((steps) => inOrder(steps, noteLate), plan)).toEqual(
        await trailOf(inRouter, plan),
      )
    }),
    { seed, numRuns: rounds('STEP_PLANS', { all: 80, nightly: 5000 }) },
  )
})

describe('a step that calls next twice', () => {
  const second = 'A step called next twice.'

  /** An invented step, in the place of each kind: before the row is found, and among the steps of the row. */
  const steps: Readonly<Record<string, RequestHandler>> = {
    'at once': (_req, _res, next) => {
      next()
      next()
    },
    'after it has waited': async (_req, _res, next) => {
      await Promise.resolve()
      next()
      next()
    },
    'at once, and again when it has waited': (_req, _res, next) => {
      next()
      return Promise.resolve().then(() => next())
    },
    'with a failure': async (_req, _res, next) => {
      await Promise.resolve()
      next()
      next(new Error('too late'))
    },
  }
  const places = ['before the row is found', 'among the steps of the row'] as const
  const cases = Object.keys(steps).flatMap((how) => places.map((place) => ({ how, place })))

  test.each(cases)('$how, $place, throws, and its route runs once', async ({ how, place }) => {
    const late: unknown[] = []
    const ran: string[] = []
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    const waits: RequestHandler = (_req, _res, next) => {
      ran.push('waits')
      return isReleased.then(() => next())
    }
    const charges: RequestHandler = (_req, res) => {
      ran.push('charges')
      res.end('charged')
    }
    const answerFailure: ErrorRequestHandler = (error, _req, res, _next) => {
      ran.push('fails')
      res.end(String(error))
    }
    // The second call has been refused before the step after it has done its work.
    const noteLate: NoteLateFailure = (failure) => {
      late.push(failure)
      release()
    }
    const twice = steps[how] ?? waits
    const isOfRow = place === 'among the steps of the row'
    const handlers = [...(isOfRow ? [twice] : []), waits, charges]
    const rows = [{ method: 'post', path: '/calls', handlers }]
    const app = express().use(answerFailure)
    const before = isOfRow ? [] : [twice]
    const docsUrl = () => 'http://gateway.test/docs'
    const listener = await listen({ host: '127.0.0.1', port: 0, docsUrl, anonymousRps: 1 })
    listener.serve(
      requestListenerOf([...before, mount(rows, noteLate), answerFailure], app, noteLate),
      app,
    )

    const response = await fetch(`http://127.0.0.1:${listener.port}/v1/calls`, { method: 'POST' })

    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 200,
      text: 'charged',
    })
    expect(ran).toEqual(['waits', 'charges'])
    expect(late).toEqual([expect.objectContaining({ message: second })])
    await listener.close(0)
  })
})
