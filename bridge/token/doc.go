// Package token mints and checks the bearer tokens of the gateway.
//
// A token is an HS256 JSON Web Token, signed with 32 random bytes that exist in
// the memory of one gateway process only: a token of an earlier launch is worth
// nothing. It names an audience, a scope, the client it was given to and a
// family, lives for minutes, and can be refreshed as long as its family is not
// revoked and not older than MaxFamilyAge. One scope never opens another.
//
// Tokens travel in the Authorization header alone; nothing here prints one.
package token
