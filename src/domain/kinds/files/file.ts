import { defineKind, READY_COLUMNS, type Admission, type Admitted } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object({
  checksum: s.string({
    minLength: 44,
    maxLength: 44,
    pattern: '^[A-Za-z0-9+/]+=$',
    doc: 'SHA-256 of the bytes, as base64.',
  }),
  contentType: s.string({ minLength: 3, maxLength: 255, doc: 'What the bytes are.' }),
  size: s.integer({ minimum: 0, format: 'int64', doc: 'How many bytes.' }),
})
const Status = s.object({})

export type FileSpec = Infer<typeof Spec>
export type FileStatus = Infer<typeof Status>

/** It says what the stored bytes are, so only who stores them can write it. */
function admitFile({ object, user }: Admission<FileSpec, FileStatus>): Admitted<FileSpec, FileStatus> {
  if (user.platform === true) return { object }
  return { object, forbidden: 'files are stored with PUT /api/v1/files/<env>--<group>--<team>--<name>' }
}

/** Its bytes are beside it in the store, and go with it. */
export const File = defineKind<FileSpec, FileStatus>({
  group: 'files.cp.ei.vendor.de',
  kind: 'File',
  plural: 'files',
  doc: 'A stored file, for instance the description of an API. Its id is `<namespace>--<name>`.',
  spec: s.but(Spec, { doc: 'What the stored bytes are; read them with `GET /api/v1/files/<namespace>--<name>`.' }),
  status: s.but(Status, { doc: 'Always empty: a file is complete when it is stored.' }),
  columns: [
    { name: 'Type', type: 'string', path: '.spec.contentType' },
    { name: 'Size', type: 'integer', path: '.spec.size' },
    ...READY_COLUMNS.filter((column) => column.name === 'Age'),
  ],
  written: 'by-platform',
  admit: admitFile,
})
export type File = Resource<FileSpec, FileStatus>
