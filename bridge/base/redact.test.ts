// What is masked, as data, and that nothing else is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MASK, redact, redactAll } from './redact.ts';

const secrets = [
  `dbr_${'a'.repeat(43)}`,
  `ghp_${'A1'.repeat(18)}`,
  'AKIAABCDEFGHIJKLMNOP',
  'xoxb-123456789012-abcdef',
  `sk-ant-${'a1'.repeat(20)}`,
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${'x'.repeat(20)}`,
  '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----',
];

describe('redact', () => {
  it.each(secrets)('masks %s wherever it stands', (secret) => {
    expect(redact(`before ${secret} after`)).toBe(`before ${MASK} after`);
    expect(JSON.stringify(redactAll({ a: [{ b: secret }], c: 1 }))).not.toContain(secret.slice(0, 24));
  });

  it('masks a bearer and the password of an address, and keeps what is around them', () => {
    expect(redact('Authorization: Bearer abcdefghijklmnop0123')).toBe(`Authorization: Bearer ${MASK}`);
    expect(redact('postgres://shop:hunter2@db.example/shop')).toBe(`postgres://shop:${MASK}@db.example/shop`);
  });

  it.each(['task-runner', 'sk-1', 'src/a.ts:12', 'chg_nw2xjrcth62zr6s3dwzastdfkw', 'a'.repeat(64), 'https://example.com/a@b'])(
    'leaves %s',
    (text) => {
      expect(redact(text)).toBe(text);
    },
  );

  it('is done once and for all, in time that grows with the text alone (property)', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...secrets, '://', ':', '@', 'Bearer '), fc.string()), { maxLength: 30 }), (parts) => {
        const masked = redact(parts.join(''));
        expect(redact(masked)).toBe(masked);
      }),
    );
    redact(`${'://'.repeat(50_000)}${':'.repeat(50_000)}${'Bearer '.repeat(20_000)}`);
  });
});
