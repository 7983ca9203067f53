/** A method and a route, with its placeholders, as sums by endpoint name it: `GET /v1/contacts/{contact_id}`. */
export const endpointPattern = /^[A-Z]{3,7} [^ ]+$/

export const maxEndpointLength = 200

export function isEndpoint(text: string): boolean {
  return text.length <= maxEndpointLength && endpointPattern.test(text)
}
