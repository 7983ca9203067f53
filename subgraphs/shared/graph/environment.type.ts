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
  description: 'Live state, or its play copy.',
  valuesConfig: {
    live: { description: 'The live state: calls are charged.' },
    sandbox: { description: 'The play copy: what happens there changes and costs nothing live.' },
  },
})
registerEnumType(EnvironmentName, {
  name: 'EnvironmentInput',
  description: 'Live state, or its play copy.',
  valuesConfig: {
    LIVE: { description: 'The live state: calls are charged.' },
    SANDBOX: { description: 'The play copy: what happens there changes and costs nothing live.' },
  },
})
