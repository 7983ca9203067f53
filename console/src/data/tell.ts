import { loadPart } from '../parts.ts'

/** Shows a short message after an action. Its library is loaded with the first message. */
export async function tell(message: string): Promise<void> {
  const { notifications } = await loadPart(() => import('@mantine/notifications'))
  notifications.show({
    ...{ message, autoClose: 4000, withBorder: true },
    closeButtonProps: { 'aria-label': 'Close the message' },
  })
}
