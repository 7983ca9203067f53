import type { ReactNode } from 'react'
import { loadPart } from '../parts.ts'

const shownMs = 4000

interface TellOptions {
  /** The name by which the message can be closed again. */
  readonly id?: string
  readonly forMs?: number
}

/** Shows a short message after an action. Its library is loaded with the first message. */
export async function tell(message: ReactNode, options: TellOptions = {}): Promise<void> {
  const { forMs = shownMs, ...rest } = options
  const { notifications } = await library()
  notifications.show({
    ...{ message, autoClose: forMs, withBorder: true, ...rest },
    closeButtonProps: { 'aria-label': 'Close the message' },
  })
}

/** Closes a message, if it is still there. */
export async function untell(id: string): Promise<void> {
  const { notifications } = await library()
  notifications.hide(id)
}

function library() {
  return loadPart(() => import('@mantine/notifications'))
}
