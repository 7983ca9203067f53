/** Variables as they are set; an empty one is absent. */
export type Variables = Readonly<Record<string, string | undefined>>
