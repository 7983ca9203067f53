import { Deadlines } from '../../../rest-facade/backends/deadlines.ts'
import type { Protection } from '../../../rest-facade/backends/protection.ts'
import { ClientGone } from '../../../rest-facade/http/errors.ts'

const deadlines = new Deadlines(60_000)

/**
 * Makes one call of a module that `ask` stands for, and resolves to its status. `ask` may throw ClientGone: the
 * client has left.
 */
export function callProtected(
  protection: Protection,
  accountId: string,
  ask: () => Promise<number>,
): Promise<number> {
  const account = protection.enter(accountId)
  const deadline = deadlines.begin()
  const calling = new Promise<number>((resolve, reject) => {
    const call = { account, deadline, onGone: () => () => {}, refuse: reject }
    protection.begin({
      ...call,
      begin(turn) {
        ask().then(
          (status) => {
            protection.end(call, turn, status >= 500)
            resolve(status)
          },
          (error: unknown) => {
            protection.end(call, turn, error instanceof ClientGone ? null : true)
            reject(error)
          },
        )
      },
    })
  })
  return calling.finally(() => {
    deadline.end()
    protection.leave(account)
  })
}
