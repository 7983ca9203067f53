import type { ErrorRequestHandler, RequestHandler } from 'express'

/** One step of a request. A step with four parameters only sees failures. */
export type Step = RequestHandler | ErrorRequestHandler

/**
 * Makes one handler of steps that are always the same. Each step begins when the step before it calls
 * `next`. A stack of Express does the same, but searches for the next handler anew for each request.
 */
export function inOrder(steps: readonly Step[]): RequestHandler {
  const handlers = steps.map((step) => (isRescuer(step) ? null : step))
  const rescuers = steps.map((step) => (isRescuer(step) ? step : null))

  return function runInOrder(req, res, done) {
    let position = 0

    function run(index: number, error: unknown): unknown {
      if (error === undefined || error === null) return handlers[index]?.(req, res, next)
      return rescuers[index]?.(error, req, res, next)
    }

    function next(error?: unknown): void {
      const fitting = error === undefined || error === null ? handlers : rescuers
      while (position < steps.length && !fitting[position]) position += 1
      const index = position
      if (index >= steps.length) {
        done(error)
        return
      }
      position += 1
      try {
        const running = run(index, error)
        if (running instanceof Promise) running.then(undefined, fail)
      } catch (thrown) {
        fail(thrown)
      }
    }

    function fail(thrown: unknown): void {
      next(thrown ?? new Error('A step failed without an error.'))
    }

    next()
  }
}

function isRescuer(step: Step): step is ErrorRequestHandler {
  return step.length === 4
}
