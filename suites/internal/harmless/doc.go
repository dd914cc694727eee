// Package harmless shows that the kit, without a configuration, calls nothing that
// changes something at the server, whatever the server offers and claims. It is all
// tests.
package harmless
