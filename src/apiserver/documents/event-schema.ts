import { openApiSchemaOf } from '#domain/openapi.ts'
import type { OpenApiSchema } from '#domain/structural-schema.ts'
import { Event } from '#domain/kinds/core/event.ts'

const text = (description: string): OpenApiSchema => ({ type: 'string', description })
const time = (description: string): OpenApiSchema => ({ type: 'string', format: 'date-time', description })
const number = (description: string): OpenApiSchema => ({ type: 'integer', format: 'int32', description })
const object = (description: string, properties: OpenApiSchema): OpenApiSchema => ({
  type: 'object',
  description,
  properties,
})

const objectReference = (description: string): OpenApiSchema =>
  object(description, {
    apiVersion: text('Group and version of the object.'),
    kind: text('Kind of the object.'),
    namespace: text('Namespace of the object.'),
    name: text('Name of the object.'),
    uid: text('The uid of the object.'),
    resourceVersion: text('The version of the object that is meant.'),
    fieldPath: text('The part of the object that is meant, as a path: spec.delivery.'),
  })

const source = object('Who tells it; older than reportingComponent, which says the same.', {
  component: text('The program that tells it.'),
  host: text('The machine it runs on.'),
})

const series = object('Set while the same goes on happening.', {
  count: number('How often it has happened so far.'),
  lastObservedTime: time('When it last happened.'),
})

/** The fields of an event of core/v1, which stand beside its metadata. */
const FIELDS: OpenApiSchema = {
  involvedObject: objectReference('The object it happened to.'),
  reason: text('What happened, as one word for programs.'),
  message: text('What happened, for people.'),
  type: text('Normal, or Warning when somebody has to act.'),
  count: number('How often it has happened.'),
  firstTimestamp: time('When it was first told.'),
  lastTimestamp: time('When it was last told.'),
  eventTime: time('When it happened, to the microsecond.'),
  source,
  reportingComponent: text('The controller that tells it.'),
  reportingInstance: text('Which of several such controllers tells it.'),
  action: text('What was done about the object.'),
  related: objectReference('A second object that it is about.'),
  series,
}

/** The kind keeps what comes and declares nothing: what `kubectl explain event` is to say stands here. */
export function eventSchema(version: 'v2' | 'v3'): OpenApiSchema {
  // Version 2 of a kind that keeps everything has no properties at all; the envelope is the same for both.
  const { properties: own, ...head } = openApiSchemaOf({ ...Event, preserveUnknown: version === 'v3' }, { version })
  const { apiVersion, kind, metadata } = own as OpenApiSchema
  return { ...head, properties: { apiVersion, kind, metadata, ...FIELDS } }
}
