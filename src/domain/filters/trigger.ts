/** Which events are delivered, and which of their fields (§2.6). */
export interface Trigger {
  readonly responseFilter?: ResponseFilter | undefined
  readonly selectionFilter?: SelectionFilter | undefined
}

export interface ResponseFilter {
  readonly mode?: 'Include' | 'Exclude' | undefined
  readonly paths?: readonly string[] | undefined
}

export interface SelectionFilter {
  readonly attributes?: Readonly<Record<string, string>> | undefined
  readonly expression?: Readonly<Record<string, unknown>> | undefined
}

/** A named part of what an exposure offers. */
export interface Scope {
  readonly name: string
  readonly trigger: Trigger
}
