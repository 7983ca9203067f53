/** Presses a button of the simulated provider's page, as a browser does; does not follow it. */
export function press(actionUrl: string, choice: string, card?: string): Promise<Response> {
  const body = new URLSearchParams({ choice, ...(card === undefined ? {} : { card }) })
  return fetch(actionUrl, { method: 'POST', body, redirect: 'manual' })
}
