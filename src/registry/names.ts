import { randomInt } from 'node:crypto'

/** The name rules of Kubernetes. Each returns what is wrong, in words that fit after the value, or undefined. */
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const LABEL_HELP =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN_HELP =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const QUALIFIED = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/
const QUALIFIED_HELP =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const VALUE_HELP =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

export function labelProblem(text: string): string | undefined {
  if (text.length > 63) return 'must be no more than 63 characters'
  return LABEL.test(text) ? undefined : LABEL_HELP
}

/** Checked label by label: the printed expression as a whole backtracks. */
export function subdomainProblem(text: string): string | undefined {
  if (text.length > 253) return 'must be no more than 253 characters'
  return text.split('.').every((part) => LABEL.test(part)) ? undefined : SUBDOMAIN_HELP
}

/** A prefix a name is made from: it may end where a name must not. */
export const generateNameProblem = (text: string): string | undefined =>
  subdomainProblem(`${text.replace(/[-.]$/, '')}x`.slice(0, 253))

/** Keys that were found to be right: there are few, and every object has several. */
let rightKeys = new Set<string>()
const MOST_KEYS = 1024

export function labelKeyProblem(text: string): string | undefined {
  if (rightKeys.has(text)) return undefined
  const problem = keyProblem(text)
  if (problem !== undefined) return problem
  if (rightKeys.size >= MOST_KEYS) rightKeys = new Set()
  rightKeys.add(text)
  return undefined
}

function keyProblem(text: string): string | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return namePartProblem(text)
  const prefix = text.slice(0, slash)
  if (prefix === '') return 'prefix part must be non-empty'
  const problem = subdomainProblem(prefix)
  return problem ? `prefix part ${problem}` : namePartProblem(text.slice(slash + 1))
}

function namePartProblem(text: string): string | undefined {
  if (text === '') return 'name part must be non-empty'
  if (text.length > 63) return 'name part must be no more than 63 characters'
  return QUALIFIED.test(text) ? undefined : QUALIFIED_HELP
}

export function labelValueProblem(text: string): string | undefined {
  if (text.length > 63) return 'must be no more than 63 characters'
  return text === '' || QUALIFIED.test(text) ? undefined : VALUE_HELP
}

/** No vowels and nothing that reads like another character, as Kubernetes generates names. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX = 5

export function generateName(prefix: string, maxLength = 63): string {
  let name = prefix.slice(0, maxLength - SUFFIX)
  for (let i = 0; i < SUFFIX; i++) name += ALPHABET[randomInt(ALPHABET.length)]
  return name
}
