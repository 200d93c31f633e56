import { s, type Schema } from './schema.ts'

const OwnerReference = s.object({
  apiVersion: s.string(),
  kind: s.string(),
  name: s.string(),
  uid: s.string(),
  controller: s.boolean(),
  blockOwnerDeletion: s.boolean(),
})

const ManagedFields = s.object({
  manager: s.string(),
  operation: s.string(),
  apiVersion: s.string(),
  time: s.string(),
  fieldsType: s.string(),
  fieldsV1: s.anything(),
  subresource: s.string(),
})

/** The known fields of `metadata`, for pruning alone: what they may hold is the registry's to judge. */
export const MetadataFields: Schema = s.object({
  name: s.string(),
  generateName: s.string(),
  namespace: s.string(),
  uid: s.string(),
  resourceVersion: s.string(),
  generation: s.integer(),
  creationTimestamp: s.string(),
  deletionTimestamp: s.string(),
  deletionGracePeriodSeconds: s.integer(),
  labels: s.map(s.string()),
  annotations: s.map(s.string()),
  ownerReferences: s.list(OwnerReference),
  finalizers: s.list(s.string()),
  managedFields: s.list(ManagedFields),
  selfLink: s.string(),
})
