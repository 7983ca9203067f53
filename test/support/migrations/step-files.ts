/** The files of a step `Refunds0001`, in the folder `migrations` of its subgraph: `0001-refunds.ts` and so on. */
export function filesOf(step: string) {
  const words = step.slice(0, -4).replaceAll(/(?<=[a-z0-9])[A-Z]/g, '-$&')
  const stem = `${step.slice(-4)}-${words.toLowerCase()}`
  return { step: `${stem}.ts`, before: `${stem}.before.sql`, after: `${stem}.after.sql` }
}
