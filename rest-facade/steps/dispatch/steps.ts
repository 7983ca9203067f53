import type { ErrorRequestHandler, RequestHandler, Response } from 'express'

/** One step of a request. A step with four parameters only sees failures. */
export type Step = RequestHandler | ErrorRequestHandler

/** Is told of a failure that nobody can be answered with any more. */
export type NoteLateFailure = (failure: unknown, res: Response) => void

/**
 * Makes one handler of steps that are always the same. Each step begins when the step before it calls
 * `next`. A stack of Express does the same, but searches for the next handler anew for each request.
 *
 * A step has one turn, which its call of `next` ends. A second call throws: without that, it would begin a
 * step whose turn has not come, or hand the request to its row again. What a step throws after its turn
 * goes to `noteLate` alone: the steps after it are at work, and the answer is theirs.
 */
export function inOrder(steps: readonly Step[], noteLate: NoteLateFailure): RequestHandler {
  const handlers = steps.map((step) => (isRescuer(step) ? null : step))
  const rescuers = steps.map((step) => (isRescuer(step) ? step : null))

  return function runInOrder(req, res, done) {
    /** The step whose turn comes next. It only grows. */
    let upcoming = 0

    function pass(from: number, error: unknown): void {
      if (from !== upcoming) throw new Error('A step called next twice.')
      const isFine = error === undefined || error === null
      const fitting = isFine ? handlers : rescuers
      let index = from
      while (index < steps.length && !fitting[index]) index += 1
      const after = index + 1
      upcoming = after
      if (index >= steps.length) {
        done(error)
        return
      }

      function next(failure?: unknown): void {
        pass(after, failure)
      }

      try {
        const running = isFine
          ? handlers[index]?.(req, res, next)
          : rescuers[index]?.(error, req, res, next)
        if (running instanceof Promise) running.then(undefined, (thrown) => fail(after, thrown))
      } catch (thrown) {
        fail(after, thrown)
      }
    }

    function fail(after: number, thrown: unknown): void {
      if (after !== upcoming) noteLate(thrown, res)
      else pass(after, thrown ?? new Error('A step failed without an error.'))
    }

    pass(0, undefined)
  }
}

function isRescuer(step: Step): step is ErrorRequestHandler {
  return step.length === 4
}
