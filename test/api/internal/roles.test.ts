import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { internalRoles } from '../../../schema/credentials/caller.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

const schema = buildSchema(readFileSync(join(projectRoot, 'schema/generated/api.graphql'), 'utf8'))

/** The lowest role that may use the field; `nobody` excludes every internal tool. */
type Least = 'readonly' | 'support' | 'admin' | 'nobody'

/**
 * Every field of the three types that decide for themselves who may. A new field needs its row
 * here.
 */
const leastRoles: Readonly<Record<'Query' | 'Mutation' | 'Account', Record<string, Least>>> = {
  Query: {
    account: 'readonly',
    accountAttention: 'nobody',
    accounts: 'readonly',
    accountsOfExternalId: 'readonly',
    accountsOfHolder: 'readonly',
    accountsOfKeyPrefix: 'readonly',
    accountsOfMember: 'readonly',
    addons: 'nobody',
    agentSettings: 'nobody',
    anonymousFailures: 'support',
    apiKey: 'nobody',
    apiKeys: 'nobody',
    appSpending: 'nobody',
    appAttention: 'nobody',
    auditChains: 'admin',
    auditEvents: 'support',
    auditHeadBreaks: 'admin',
    auditHeads: 'admin',
    auditExport: 'nobody',
    auditExportFile: 'nobody',
    auditExports: 'nobody',
    auditTrail: 'nobody',
    authorizationScreen: 'nobody',
    backendSigningKeys: 'nobody',
    balanceDrifts: 'support',
    billing: 'nobody',
    billingDetails: 'nobody',
    budgetedExternalIds: 'nobody',
    chargeTotals: 'admin',
    charges: 'admin',
    clientOrigins: 'nobody',
    consents: 'nobody',
    credits: 'nobody',
    currentApiKey: 'nobody',
    deadFacades: 'nobody',
    deadJobs: 'support',
    deniedAppHosts: 'readonly',
    digestStart: 'admin',
    externalId: 'nobody',
    externalIds: 'nobody',
    failingRecharges: 'readonly',
    failingWebhooks: 'readonly',
    forecast: 'nobody',
    gatewayProcesses: 'readonly',
    internalTokens: 'admin',
    introspection: 'nobody',
    invoice: 'nobody',
    invoicePdf: 'nobody',
    checkout: 'nobody',
    checkoutPreview: 'nobody',
    checkouts: 'nobody',
    invoices: 'nobody',
    nextRecharge: 'nobody',
    pastPayment: 'nobody',
    pastPayments: 'nobody',
    paymentsInDoubt: 'readonly',
    pendingRefunds: 'readonly',
    plans: 'nobody',
    paymentMethod: 'nobody',
    paymentMethods: 'nobody',
    returnStatus: 'nobody',
    simulatedPayment: 'nobody',
    isInternalTokenRevoked: 'nobody',
    isInvitationOpen: 'nobody',
    jwks: 'readonly',
    keyAttention: 'nobody',
    ledger: 'nobody',
    ledgerAudit: 'admin',
    ledgerHeadComparison: 'admin',
    ledgerHeads: 'admin',
    loggedCharges: 'admin',
    loggedTotals: 'admin',
    lots: 'nobody',
    mailQueue: 'nobody',
    me: 'nobody',
    members: 'nobody',
    myPasskeys: 'nobody',
    notificationConfirmation: 'nobody',
    notificationSubscription: 'nobody',
    notifications: 'nobody',
    oauthApp: 'nobody',
    oauthAppOwners: 'nobody',
    oauthApps: 'nobody',
    oldestUsageEpochSeconds: 'nobody',
    openDisputes: 'readonly',
    openidConfiguration: 'readonly',
    operatorLink: 'nobody',
    operatorSession: 'nobody',
    orphanedCharges: 'nobody',
    protectedResource: 'readonly',
    sandbox: 'nobody',
    currentSession: 'nobody',
    session: 'nobody',
    sessions: 'nobody',
    signInPreview: 'nobody',
    signingKeys: 'readonly',
    signInSetting: 'nobody',
    spenderBudgets: 'nobody',
    budgetedSpenders: 'nobody',
    subscription: 'nobody',
    unmatchedPaymentNotifications: 'support',
    topUp: 'nobody',
    trackedKeywords: 'nobody',
    usage: 'nobody',
    usageAudit: 'admin',
    usageErrors: 'nobody',
    usageLog: 'nobody',
    usageLogKeptSince: 'admin',
    usageSummary: 'nobody',
    usageThisMonth: 'nobody',
    userinfo: 'nobody',
    verifiedAccessToken: 'nobody',
    verifiedClient: 'nobody',
    verifiedKey: 'nobody',
    verifiedSession: 'nobody',
    webhookDeliveries: 'nobody',
    webhookDelivery: 'nobody',
    webhookEndpoints: 'nobody',
    webhookEvent: 'nobody',
    webhookEventTypes: 'nobody',
    webhookQueue: 'nobody',
    webhookSummary: 'nobody',
  },
  Mutation: {
    adjustCredits: 'admin',
    changeMember: 'nobody',
    inviteMember: 'nobody',
    inviteOwner: 'nobody',
    inviteToAccount: 'admin',
    resetPasskeys: 'admin',
    finishPasskeyReset: 'nobody',
    beginAddingPasskey: 'nobody',
    addPasskey: 'nobody',
    removePasskey: 'nobody',
    beginPasskeyProof: 'nobody',
    proveWithPasskey: 'nobody',
    beginPasskeySignIn: 'nobody',
    signInWithPasskey: 'nobody',
    changeSignInSetting: 'nobody',
    mailPeople: 'nobody',
    sendInvitation: 'nobody',
    removeInvitationMails: 'nobody',
    askForMail: 'nobody',
    mailSignIn: 'nobody',
    signInByMail: 'nobody',
    removeMember: 'nobody',
    changeMyself: 'nobody',
    confirmMyAddress: 'nobody',
    mailAddressChange: 'nobody',
    resendInvitation: 'nobody',
    revokeKeysOfMember: 'nobody',
    allowAppHost: 'admin',
    cancelMassMail: 'support',
    cancelSubscription: 'support',
    claimOperatorAct: 'nobody',
    releaseOperatorAct: 'nobody',
    changeAccountBudgets: 'nobody',
    changeAgentSettings: 'nobody',
    changeBillingDetails: 'nobody',
    changeApiKey: 'admin',
    changeConsent: 'nobody',
    changeExternalIdBudgets: 'nobody',
    changeNotifications: 'nobody',
    changePlan: 'nobody',
    previewPlan: 'nobody',
    changeOAuthApp: 'nobody',
    changeWebhookEndpoint: 'nobody',
    checkout: 'nobody',
    collectPayment: 'nobody',
    collectRefund: 'nobody',
    countAnonymousFailures: 'nobody',
    configureAutoRecharge: 'support',
    confirmNotificationEmail: 'nobody',
    decideSimulatedPayment: 'nobody',
    deletePaymentMethod: 'nobody',
    setDefaultPaymentMethod: 'nobody',
    createAccount: 'admin',
    createApiKey: 'admin',
    createAuditExport: 'nobody',
    createHandover: 'nobody',
    createOperatorLink: 'nobody',
    createPortalLink: 'support',
    createWebhookEndpoint: 'nobody',
    decideConsent: 'nobody',
    deleteWebhookEndpoint: 'nobody',
    endGrace: 'nobody',
    denyAppHost: 'admin',
    endGrants: 'nobody',
    endOneSession: 'nobody',
    endOtherSessions: 'nobody',
    endOperator: 'nobody',
    endOperatorSession: 'nobody',
    endSession: 'nobody',
    endSessionsOfAccount: 'support',
    expireGrants: 'nobody',
    publishExpiringCredits: 'nobody',
    expireHolds: 'nobody',
    foldAbandonedUsage: 'nobody',
    foldUsageEpoch: 'nobody',
    forgetAnonymousFailures: 'nobody',
    forgetAuditExports: 'nobody',
    forgetEvents: 'nobody',
    forgetExpiredGrants: 'nobody',
    forgetIdempotencyKeys: 'nobody',
    forgetInternalTokens: 'nobody',
    forgetMails: 'nobody',
    grantCredits: 'admin',
    issueApiKey: 'nobody',
    keepPaidCard: 'nobody',
    keepUsageLog: 'nobody',
    markKeysUsed: 'nobody',
    noteUseOfOperatorSession: 'nobody',
    openOperatorSession: 'nobody',
    openSession: 'nobody',
    openUsageEpoch: 'nobody',
    publishEvents: 'nobody',
    liftPaymentBlock: 'admin',
    receivePaymentNotification: 'nobody',
    refundPayment: 'admin',
    recordAuditEvents: 'nobody',
    recordInternalToken: 'admin',
    recordOperatorRole: 'nobody',
    recordUsage: 'nobody',
    recordUsageBatch: 'nobody',
    refundCharge: 'admin',
    refundSpending: 'nobody',
    registerItself: 'nobody',
    registerOAuthApp: 'nobody',
    removeFacade: 'nobody',
    removeNotificationEmail: 'nobody',
    repeatAuditExport: 'nobody',
    reportFacade: 'nobody',
    reportProcess: 'nobody',
    resendWebhookDeliveries: 'nobody',
    resendWebhookDelivery: 'nobody',
    resendWebhookSlice: 'nobody',
    reserveBatch: 'nobody',
    resetBudget: 'nobody',
    resetKeyBudget: 'nobody',
    resetSandbox: 'nobody',
    resumeSubscription: 'admin',
    retryJobs: 'admin',
    revokeApiKey: 'admin',
    revokeInternalToken: 'admin',
    revokeToken: 'nobody',
    rotateApiKey: 'nobody',
    rotateOAuthAppSecret: 'nobody',
    rotateSigningKeys: 'admin',
    rotateWebhookSecret: 'nobody',
    runAuditExport: 'nobody',
    setBudgets: 'nobody',
    settleBatch: 'nobody',
    settleLateEntries: 'nobody',
    openProvenSession: 'nobody',
    suspendOAuthApp: 'admin',
    takeOperatorRoleQuestion: 'nobody',
    takeUpLostJobs: 'nobody',
    testWebhookEndpoint: 'nobody',
    token: 'nobody',
    trackKeyword: 'support',
    turnAddon: 'nobody',
    turnSigningKeys: 'nobody',
    turnSubscription: 'nobody',
    undoDisableApiKey: 'nobody',
    untrackKeyword: 'support',
    updateAccount: 'admin',
    watchBalance: 'nobody',
    withdrawConsent: 'nobody',
  },
  Account: {
    activity: 'readonly',
    addons: 'readonly',
    apiKeys: 'readonly',
    auditEvents: 'readonly',
    autoRecharge: 'readonly',
    balance: 'readonly',
    before: 'readonly',
    billingDetails: 'readonly',
    budgets: 'support',
    consents: 'readonly',
    createdAt: 'readonly',
    credits: 'readonly',
    email: 'readonly',
    environment: 'readonly',
    events: 'readonly',
    id: 'readonly',
    invoices: 'readonly',
    isPaymentBlocked: 'readonly',
    ledger: 'readonly',
    lots: 'readonly',
    members: 'readonly',
    name: 'readonly',
    oauthApps: 'readonly',
    payments: 'readonly',
    rateLimitRps: 'readonly',
    recentUsage: 'readonly',
    sessions: 'readonly',
    status: 'readonly',
    subscription: 'readonly',
    subscriptionTier: 'readonly',
    tier: 'readonly',
    trackedKeywords: 'readonly',
    usage: 'readonly',
    usageLog: 'readonly',
    usageSummary: 'readonly',
    webhookEndpoints: 'readonly',
  },
}

/**
 * Why a second attempt of a mutation that moves or spends credits, or sets them aside, moves none.
 */
const onceBy = {
  // The input of these mutations demands a key.
  adjustCredits: 'idempotencyKey',
  grantCredits: 'idempotencyKey',
  refundCharge: 'idempotencyKey',
  refundPayment: 'idempotencyKey',
  // Accounts set it up too, with the key in their header: internal tools are asked for theirs when
  // they do.
  configureAutoRecharge: 'idempotencyKey or once',
  // A resumed subscription can have a declined payment tried again.
  resumeSubscription: 'idempotencyKey or once',
  // Each attempt opens another account: none has its credits twice.
  createAccount: 'a new account',
  // The key in the header of the caller, as the facade hands it on.
  checkout: 'once',
  changePlan: 'once',
  // The request, payment, grant or period that it is about is settled once.
  collectPayment: 'its subject',
  collectRefund: 'its subject',
  endGrace: 'its subject',
  keepPaidCard: 'its subject',
  expireGrants: 'its subject',
  publishExpiringCredits: 'its subject',
  expireHolds: 'its subject',
  decideSimulatedPayment: 'its subject',
  receivePaymentNotification: 'its subject',
  reserveBatch: 'its subject',
  settleBatch: 'its subject',
  turnSubscription: 'its subject',
  watchBalance: 'its subject',
} as const

/** Every other mutation. A new one must be named here or above. */
const movesNothing = [
  ...['cancelMassMail', 'cancelSubscription', 'changeApiKey', 'changeConsent', 'previewPlan'],
  ...['createApiKey', 'createAuditExport', 'decideConsent', 'endGrants', 'endSession'],
  ...['countAnonymousFailures', 'forgetAnonymousFailures', 'recordInternalToken'],
  ...['forgetInternalTokens', 'revokeInternalToken', 'liftPaymentBlock'],
  ...['forgetAuditExports', 'forgetExpiredGrants', 'forgetIdempotencyKeys', 'issueApiKey'],
  ...['endOneSession', 'endOtherSessions', 'endSessionsOfAccount'],
  ...['changeMember', 'inviteMember', 'inviteOwner', 'inviteToAccount', 'removeMember'],
  ...[
    'changeMyself',
    'confirmMyAddress',
    'mailAddressChange',
    'resendInvitation',
    'revokeKeysOfMember',
    'sendInvitation',
  ],
  ...['removeInvitationMails'],
  ...['addPasskey', 'beginAddingPasskey', 'beginPasskeyProof', 'beginPasskeySignIn'],
  ...['changeSignInSetting', 'finishPasskeyReset', 'proveWithPasskey'],
  ...['removePasskey', 'resetPasskeys', 'signInWithPasskey'],
  ...['createHandover', 'createPortalLink', 'openProvenSession'],
  ...['askForMail', 'mailPeople', 'mailSignIn', 'signInByMail'],
  ...['claimOperatorAct', 'releaseOperatorAct'],
  ...['createOperatorLink', 'endOperator', 'endOperatorSession', 'noteUseOfOperatorSession'],
  'openOperatorSession',
  ...['changeAccountBudgets', 'changeExternalIdBudgets', 'setBudgets'],
  ...['resetBudget', 'resetKeyBudget', 'refundSpending'],
  ...['recordOperatorRole', 'takeOperatorRoleQuestion'],
  ...['keepUsageLog', 'markKeysUsed', 'openSession', 'recordAuditEvents', 'recordUsage'],
  ...['foldAbandonedUsage', 'foldUsageEpoch', 'openUsageEpoch', 'recordUsageBatch'],
  ...['allowAppHost', 'changeAgentSettings', 'denyAppHost', 'registerItself'],
  ...[
    'changeOAuthApp',
    'registerOAuthApp',
    'rotateOAuthAppSecret',
    'removeFacade',
    'repeatAuditExport',
    'reportFacade',
    'reportProcess',
    'retryJobs',
  ],
  ...['resetSandbox', 'revokeApiKey', 'revokeToken', 'rotateApiKey'],
  ...['rotateSigningKeys', 'runAuditExport', 'settleLateEntries', 'suspendOAuthApp'],
  ...['deletePaymentMethod', 'setDefaultPaymentMethod'],
  ...['takeUpLostJobs', 'token', 'trackKeyword', 'turnAddon'],
  ...['turnSigningKeys', 'undoDisableApiKey', 'untrackKeyword', 'updateAccount', 'withdrawConsent'],
  ...['changeWebhookEndpoint', 'createWebhookEndpoint', 'deleteWebhookEndpoint', 'forgetEvents'],
  'changeBillingDetails',
  ...['changeNotifications', 'confirmNotificationEmail', 'forgetMails', 'removeNotificationEmail'],
  ...['publishEvents', 'resendWebhookDeliveries', 'resendWebhookDelivery', 'resendWebhookSlice'],
  ...['rotateWebhookSecret', 'testWebhookEndpoint'],
]

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

function fieldsOf(typeName: string): readonly GraphQLField<unknown, unknown>[] {
  const type = schema.getType(typeName)
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type.`)
  return Object.values(type.getFields())
}

/** A value that the graph accepts and that stands for nothing. */
function blank(type: GraphQLInputType): string {
  if (isNonNullType(type)) return blank(type.ofType)
  if (isListType(type)) return '[]'
  if (isEnumType(type)) return String(type.getValues()[0]?.name)
  if (isInputObjectType(type)) {
    const members = Object.values(type.getFields()).filter(isRequiredInputField)
    return `{ ${members.map((member) => `${member.name}: ${blank(member.type)}`).join(', ')} }`
  }
  const values = { Int: '1', SafeInt: '1', Boolean: 'false', JSONObject: '{}' }
  const instant = '"2026-01-01T00:00:00.000Z"'
  return type.name === 'DateTimeISO'
    ? instant
    : (new Map(Object.entries(values)).get(type.name) ?? '""')
}

/** The least that asks for a field. */
function asking({ name, args, type }: GraphQLField<unknown, unknown>): string {
  const needed = args.filter(isRequiredArgument).map((arg) => `${arg.name}: ${blank(arg.type)}`)
  const list = needed.length > 0 ? `(${needed.join(', ')})` : ''
  return `${name}${list}${isLeafType(getNamedType(type)) ? '' : ' { __typename }'}`
}

/** The roles to which a document is FORBIDDEN. */
async function refusedRoles(query: string): Promise<string[]> {
  const refused: string[] = []
  for (const role of internalRoles) {
    const token = await gateway.internalToken(role)
    const { status, body } = await gateway.internal.post('/graphql', { query }, token)
    // An invalid document would prove nothing.
    expect([query, status]).toEqual([query, 200])
    const errors: { extensions: { code: string } }[] = Object(body).errors ?? []
    expect(errors.map(({ extensions }) => extensions.code)).not.toContain('INTERNAL_ERROR')
    if (errors.some(({ extensions }) => extensions.code === 'FORBIDDEN')) refused.push(role)
  }
  return refused
}

function rolesBelow(least: Least): string[] {
  const allowed = least === 'nobody' ? 0 : internalRoles.indexOf(least) + 1
  return internalRoles.slice(allowed)
}

describe.each(['Query', 'Mutation', 'Account'] as const)(
  'the role that a field of %s needs',
  (typeName) => {
    test('is declared for each field', () => {
      const names = fieldsOf(typeName).map(({ name }) => name)

      expect(Object.keys(leastRoles[typeName]).toSorted()).toEqual(names.toSorted())
    })

    test.each(Object.entries(leastRoles[typeName]))('%s needs %s', async (name, least) => {
      const field = fieldsOf(typeName).find((candidate) => candidate.name === name)
      if (!field) throw new Error(`There is no ${name}.`)
      const wrap = async () => `account(id: "${(await gateway.createAccount()).id}")`
      const query =
        typeName === 'Account'
          ? `{ ${await wrap()} { ${asking(field)} } }`
          : `${typeName.toLowerCase()} { ${asking(field)} }`

      expect(await refusedRoles(query)).toEqual(rolesBelow(least))
    })
  },
)

describe('the keys of a new account', () => {
  test('are hidden from roles below admin', () => {
    const showing = Object.values(schema.getTypeMap())
      .filter((type): type is GraphQLObjectType => isObjectType(type))
      .filter((type) => 'liveKey' in type.getFields() || 'sandboxKey' in type.getFields())

    expect(showing.map(({ name }) => name)).toEqual(['CreateAccountPayload'])
    const roots = [...fieldsOf('Query'), ...fieldsOf('Mutation')]
    const leading = roots.filter(({ type }) => getNamedType(type).name === 'CreateAccountPayload')
    expect(leading.map(({ name }) => [name, leastRoles.Mutation[name]])).toEqual([
      ['createAccount', 'admin'],
    ])
  })
})

describe('mutations that move credits', () => {
  test('are told apart from all others', () => {
    const names = fieldsOf('Mutation').map(({ name }) => name)

    expect([...Object.keys(onceBy), ...movesNothing].toSorted()).toEqual(names.toSorted())
  })

  test('require an idempotency key from internal tools, or open an account', () => {
    const open = Object.entries(onceBy).filter(([name]) => leastRoles.Mutation[name] !== 'nobody')

    const keyed = open.filter(([, once]) => once.startsWith('idempotencyKey'))
    expect(open.filter((one) => !keyed.includes(one))).toEqual([['createAccount', 'a new account']])
    for (const [name, once] of keyed) {
      const field = fieldsOf('Mutation').find((candidate) => candidate.name === name)
      const input = field?.args.find((arg) => arg.name === 'input')?.type
      const members = input && getNamedType(input)
      // One that takes nothing else has it as an argument.
      const key = isInputObjectType(members)
        ? members.getFields().idempotencyKey
        : field?.args.find((arg) => arg.name === 'idempotencyKey')
      const type = once === 'idempotencyKey' ? 'String!' : 'String'
      expect([name, String(key?.type)]).toEqual([name, type])
    }
  })

  test.each(['grantCredits', 'adjustCredits', 'refundCharge'])(
    '%s makes one entry for one key, and none without a key',
    async (name) => {
      const account = await gateway.createAccount({ credits: 100 })
      const { headers } = await gateway.live.post(
        '/v1/contacts/reveal',
        { contact_id: 'con_1' },
        account.liveKey,
      )
      const subject =
        name === 'refundCharge' ? { requestId: headers.get('x-request-id') } : { credits: 5 }
      const input = { accountId: account.id, reason: 'Goodwill', ...subject }
      const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`
      const query = `mutation ($input: ${type}) { result: ${name}(input: $input) { id } }`
      const token = await gateway.internalToken('admin')
      const enter = async (key: object) => {
        const variables = { input: { ...input, ...key } }
        const { body } = await gateway.internal.post('/graphql', { query, variables }, token)
        return Object(body)
      }

      const refused = [await enter({}), await enter({ idempotencyKey: '' })]
      const entered = [await enter({ idempotencyKey: 'a' }), await enter({ idempotencyKey: 'a' })]

      expect(refused.map(({ errors }) => errors[0].extensions.code)).toEqual([
        'BAD_USER_INPUT',
        'INVALID_REQUEST',
      ])
      expect(entered[0].data.result).toEqual({ id: expect.stringMatching(/^led_/) })
      expect(entered[1]).toEqual(entered[0])
      const { body } = await gateway.live.get('/v1/account/credits', account.liveKey)
      expect(body).toMatchObject({ balance: 100 })
      await expectExactBooks(gateway)
    },
  )
})
