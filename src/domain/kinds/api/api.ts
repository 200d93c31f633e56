import { defineKind, READY_COLUMNS } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {
    basePath: s.string({ maxLength: 200, pattern: '^/.*$', doc: 'Base path of the API.' }),
    version: s.string({ doc: 'Version of the API.' }),
    category: s.string({ default: 'other', doc: 'Category of the API.' }),
  },
  {
    oauth2Scopes: s.list(s.string(), { doc: 'Scopes the API defines.' }),
    xVendor: s.boolean({ doc: 'Whether it is a vendor-extension API.' }),
    specification: s.string({ doc: 'File id of its description.' }),
  },
)
const Status = s.object({ active: s.boolean({ doc: 'Whether this is the Api of its base path.' }) })

export type ApiSpec = Infer<typeof Spec>
export type ApiStatus = Infer<typeof Status>

export const Api = defineKind<ApiSpec, ApiStatus>({
  group: 'api.cp.ei.vendor.de',
  kind: 'Api',
  plural: 'apis',
  doc: 'A registered API. Of several with one base path the oldest is active.',
  spec: s.but(Spec, { doc: 'What the registered description says about the API.' }),
  status: s.but(Status, { doc: 'Whether this registration is the active one of its base path.' }),
  columns: [
    { name: 'Base Path', type: 'string', path: '.spec.basePath' },
    { name: 'Version', type: 'string', path: '.spec.version' },
    { name: 'Active', type: 'boolean', path: '.status.active' },
    ...READY_COLUMNS,
  ],
  written: 'by-platform',
})
export type Api = Resource<ApiSpec, ApiStatus>
