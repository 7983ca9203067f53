import type { ServerResponse } from 'node:http'

/** A request that a listener has taken and not finished, as its steps know it. */
export interface RequestInHand {
  /** Notes whether the request waits for another service, so that it costs no more than its place. */
  setElsewhere(isElsewhere: boolean): void
  /** The credential of the request is accepted: from now on its sender is no stranger. */
  accept(): void
}

const inHandKey = Symbol('request in hand')
type Tracked = ServerResponse & { [inHandKey]?: RequestInHand }

export function inHandOf(res: ServerResponse): RequestInHand | undefined {
  return (res as Tracked)[inHandKey]
}

/** Notes the request in hand to which a response belongs; undefined: the request is in hand no more. */
export function setInHand(res: ServerResponse, request: RequestInHand | undefined): void {
  ;(res as Tracked)[inHandKey] = request
}

/** The credential of this request is accepted: from now on its sender is no stranger. */
export function noteAccepted(res: ServerResponse): void {
  inHandOf(res)?.accept()
}

/** A request that waits for another service costs no more than its place. */
export async function whileElsewhere<Result>(
  res: ServerResponse,
  work: Promise<Result>,
): Promise<Result> {
  inHandOf(res)?.setElsewhere(true)
  try {
    return await work
  } finally {
    // The request may have been answered meanwhile: then it is in no hand.
    inHandOf(res)?.setElsewhere(false)
  }
}
