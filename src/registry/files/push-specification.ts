import { badRequest, isStatus, type StatusError } from '#domain/errors.ts'
import { fileIdOf, parseFileId } from '#domain/file-id.ts'
import { apiVersionOf } from '#domain/kind.ts'
import { quote } from '#domain/kinds/advice.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import type { Description } from '#domain/openapi-document/extract.ts'
import type { Body, Key, Registry, Stored, WriteContext, Written } from '#registry/registry.ts'
import { WrittenAnswer } from '#registry/written.ts'
import { type Advice, categoryAdvice } from './category-advice.ts'
import { checksumOf, type FileContent } from './files.ts'

/** A description of an API, and what was read from it. */
export interface Push {
  readonly key: Key
  readonly content: FileContent
  readonly description: Description
  /** What a check of the description found. */
  readonly findings: readonly string[]
  readonly context: WriteContext
}

const ATTEMPTS = 5

/**
 * Stores a description and registers it, both or neither. The same content again changes nothing.
 * @throws StatusError BadRequest, Invalid, Conflict
 */
export async function pushSpecification(registry: Registry, push: Push): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryOnce(registry, push)
    } catch (error) {
      const raced = isStatus(error, 'Conflict') || isStatus(error, 'AlreadyExists')
      if (!raced || attempt >= ATTEMPTS) throw error as StatusError
    }
  }
}

async function tryOnce(registry: Registry, push: Push): Promise<Written> {
  const { key, content } = push
  const id = fileIdOf(key)
  if (parseFileId(id) === undefined) throw notOfATeam(key)
  const beside = registry.files.ops(id, content)
  const current = find(registry, key)
  const old = current?.resource as ApiSpecification | undefined
  if (current !== undefined && old?.spec?.hash === checksumOf(content.bytes) && old.spec.specification === id) {
    if (beside.length > 0 && push.context.dryRun !== true) await registry.files.put(id, content)
    return new WrittenAnswer(current, [], false)
  }
  const context = { ...push.context, beside }
  const advice = await categoryAdvice(registry, key.namespace, push.description, push.findings)
  const body = bodyOf(push, old, advice)
  const written =
    old === undefined
      ? await registry.create(ApiSpecification, key.namespace, body, context)
      : await registry.update(ApiSpecification, key, body, context)
  const warnings = [...written.warnings, ...advice.warnings, ...replacementAdvice(push, old)]
  return new WrittenAnswer(written, warnings, written.created)
}

/** Base paths that differ only in case, hyphens and underscores share a name, and gateways cannot tell their APIs apart. */
function replacementAdvice({ key, description }: Push, old: ApiSpecification | undefined): readonly string[] {
  const before = old?.spec?.basepath
  if (before === undefined || before === description.basepath) return []
  const told = `ApiSpecification ${key.name} described ${quote(before)} until now and no longer does`
  return [
    `${told}: if both are wanted, give one of them a base path that differs in more than case, slashes or hyphens`,
  ]
}

const notOfATeam = ({ namespace }: Key): StatusError =>
  badRequest(
    `namespace ${namespace} is not that of a team, where documents are kept: send it to one of the form <env>--<group>--<team>`,
  )

function find(registry: Registry, key: Key): Stored | undefined {
  try {
    return registry.get(ApiSpecification, key)
  } catch (error) {
    if (isStatus(error, 'NotFound')) return undefined
    throw error
  }
}

/** What people added stays; the result of a check of the last description does not. */
function bodyOf({ key, content, description }: Push, old: ApiSpecification | undefined, { lint }: Advice): Body {
  const { lint: _, ...others } = (old?.spec ?? {}) as { readonly lint?: unknown }
  const { scopes, ...facts } = description
  const spec = {
    ...others,
    ...facts,
    hash: checksumOf(content.bytes),
    specification: fileIdOf(key),
    scopes: scopes.length === 0 ? undefined : scopes,
    ...(lint && { lint }),
  }
  const metadata = old?.metadata ?? { name: key.name, namespace: key.namespace }
  const value = { ...old, apiVersion: apiVersionOf(ApiSpecification), kind: ApiSpecification.kind, metadata, spec }
  return { value, duplicates: [] }
}
