import { describe, expect, it } from '@jest/globals';
import Ajv from 'ajv/dist/2020';
import { openApi } from '../../../api/openapi';
import { page } from '../../../api/openapi/page';

const document = openApi();

/** Every place of a document, with what stands there. */
function* places(value: unknown, path = ''): Generator<[string, unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) yield* places(part, `${path}/${key}`);
}

describe('the OpenAPI document', () => {
  it('refers only to what is in it', () => {
    const names = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    const references = [...places(document)].filter(([path]) => path.endsWith('/$ref')).map(([, to]) => to);
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((to) => !names.includes(String(to)))).toEqual([]);
  });

  it('has JSON Schemas that a validator takes', () => {
    const inPlace = [...places(document)].filter(([path]) => path.endsWith('/schema')).map(([, one]) => one);
    const own = inPlace.filter((schema) => !JSON.stringify(schema).startsWith('{"$ref"'));
    for (const schema of [...own, ...Object.values(document.components.schemas)]) {
      const ajv = new Ajv({
        strict: true,
        allowUnionTypes: true,
        formats: { date: true, 'date-time': true },
      });
      expect(() => ajv.compile(schema as object)).not.toThrow();
    }
  });

  it('says what may be left out of a request', () => {
    const body = document.paths['/api/a360/factory-run/{run}/gate/{block}/approve']?.post?.requestBody;
    expect(body).toMatchObject({
      required: true,
      content: {
        'application/json': { schema: { required: ['approver', 'role'], additionalProperties: false } },
      },
    });
    const parameters = document.paths['/api/a360/factory-run']?.get?.parameters.map(({ name }) => name);
    expect(parameters).toEqual(['status', 'factory', 'started_by', 'limit', 'cursor']);
  });

  it('has an id of its own for each operation', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('its page', () => {
  it('has every operation, and neither scripts nor anything from elsewhere', () => {
    const html = page(document);
    for (const path of Object.keys(document.paths)) expect(html).toContain(path);
    expect(html).not.toMatch(/<script|https?:|javascript:|\son\w+=/i);
  });

  it('shows markup as text', () => {
    const info = { ...document.info, description: '<img src=x> & "more"' };
    expect(page({ ...document, info })).toContain('&lt;img src=x&gt; &amp; &quot;more&quot;');
  });
});
