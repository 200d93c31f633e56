import { extractDescription, namelessBasePath, specificationName } from '#domain/openapi-document/extract.ts'
import { DocumentError, readDocument } from '#lib/read-document.ts'
import { CommandError, readBytes, readConnection, send } from './connection.ts'

export interface PushFlags {
  readonly namespace: string
  readonly kubeconfig: string
}

export interface Pushed {
  readonly name: string
  readonly change: 'created' | 'updated or unchanged'
  readonly warnings: readonly string[]
}

/** Registers an OpenAPI document. @throws CommandError */
export async function pushSpec(file: string, { namespace, kubeconfig }: PushFlags): Promise<Pushed> {
  const connection = readConnection(kubeconfig)
  const bytes = readBytes(file)
  const name = nameOf(file, bytes)
  const path = `/apis/rover.cp.ei.vendor.de/v1/namespaces/${encodeURIComponent(namespace)}/apispecifications/${name}/document`
  const { code, body, warnings } = await send(connection, 'PUT', path, bytes)
  if (code === 200 || code === 201) return { name, change: code === 201 ? 'created' : 'updated or unchanged', warnings }
  const said = (body as { readonly message?: string } | undefined)?.message ?? `the server answered ${code}`
  throw new CommandError(`${file} was not registered: ${said}`)
}

/** The server reads the document again; here only the name is needed. */
function nameOf(file: string, bytes: Uint8Array): string {
  const found = extractDescription(documentIn(file, bytes))
  if ('basepath' in found) return registeredName(file, found.basepath)
  const problems = found.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`))
  throw new CommandError(`${file}: ${problems.join('; ')}`)
}

function registeredName(file: string, basepath: string): string {
  const name = specificationName(basepath)
  if (name === undefined) throw new CommandError(`${file}: ${namelessBasePath(basepath)}`)
  return name
}

function documentIn(file: string, bytes: Uint8Array): unknown {
  try {
    return readDocument(bytes).value
  } catch (error) {
    if (error instanceof DocumentError) throw new CommandError(`${file} ${error.message}`)
    throw error
  }
}
