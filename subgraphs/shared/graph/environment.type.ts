import { registerEnumType } from 'type-graphql'

export { EnvironmentName, EnvironmentValue }

/** The environment as REST shows it: the value is the word in the body. */
enum EnvironmentValue {
  live = 'live',
  sandbox = 'sandbox',
}

/** The environment as internal tools write it in inputs (docs/contract.md §8). */
enum EnvironmentName {
  LIVE = 'live',
  SANDBOX = 'sandbox',
}

registerEnumType(EnvironmentValue, {
  name: 'Environment',
  description: 'The two states of an account: live, and the sandbox.',
  valuesConfig: {
    live: { description: 'The live state: calls are charged.' },
    sandbox: { description: 'The sandbox: what happens there changes and costs nothing live.' },
  },
})
registerEnumType(EnvironmentName, {
  name: 'EnvironmentInput',
  description: 'The two states of an account: live, and the sandbox.',
  valuesConfig: {
    LIVE: { description: 'The live state: calls are charged.' },
    SANDBOX: { description: 'The sandbox: what happens there changes and costs nothing live.' },
  },
})
